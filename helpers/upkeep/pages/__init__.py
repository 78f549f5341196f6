"""What the site shows besides lessons and exercises, made from data: one module a page."""
