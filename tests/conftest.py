"""What holds for every test."""

import os

import pytest


SPREAD = {"test_notebooks", "test_coach_programs"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Keep a file's tests on one worker, where they share a kernel, a server or an environment.

    Those that share nothing are spread, so that notebooks run side by side.
    """
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            if item.path.stem not in SPREAD:
                item.add_marker(pytest.mark.xdist_group(item.path.stem))


def _forbid_skip(report):
    """With CI=true a skipped test has failed: there, everything it needs must be installed."""
    if os.environ.get("CI") == "true" and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI lets no test be skipped. {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _forbid_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _forbid_skip((yield))
