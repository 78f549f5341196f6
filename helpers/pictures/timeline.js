// What can be asked of a timeline: point at a bar, or reach it by Tab and the arrow keys, and it
// says what it was; drag, or press + and -, to look closer; f unfolds what is folded. Each picture
// brings this along, and the first on a page defines it for all.
window.courseTimeline ??= figure => {
  // It comes as an image, which passes where SVG in a page does not. In the page it has words to
  // select, and the page's colours.
  const image = figure.querySelector('img');
  const source = decodeURIComponent(image.src.slice(image.src.indexOf(',') + 1));
  const svg = new DOMParser().parseFromString(source, 'image/svg+xml').documentElement;
  image.replaceWith(svg);
  const find = (what, inside = svg) => [...inside.querySelectorAll(what)];
  const set = (one, values) => {
    for (const name in values) one.setAttribute(name, values[name]);
    return one;
  };
  const make = (name, inside, values) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    inside.append(made);
    return set(made, values);
  };
  const plots = find('.plot'), folds = find('.more'), lanes = find('.lane');
  // Pixels of the picture as it was drawn: how wide the axis is, and which part of it is shown.
  const [start, scale, wide] = (svg.dataset.axis || '0 1 0').split(' ').map(Number);
  let from = 0, to = wide, on = null, drag = null, open = false;

  // What moves along the axis: from where, how wide it is, and what puts it elsewhere.
  const moves = [];
  for (const one of find('.lane rect, .plot :is(polygon, .slivers, .end, .wake, .cancel)')) {
    let x = +one.getAttribute('x'), width = +one.getAttribute('width'), put;
    const points = one.getAttribute('points'), moved = one.transform.baseVal[0]?.matrix;
    if (points) {
      put = at => set(one, {points: points.replace(/([-.\d]+),/g, (_, x) => at(+x) + ',')});
    } else if (one.matches('.slivers')) {
      const d = one.getAttribute('d');
      put = (at, by) => set(one, {d: d.replace(/M([.\d]+)(.*?)h([.\d]+)/g,
        (_, x, down, width) => `M${at(+x)}${down}h${width * by}`)});
    } else if (moved) {
      const y = moved.f;
      x = moved.e;
      put = at => set(one, {transform: `translate(${at(x)} ${y})`});
    } else if (one.tagName === 'text') {
      put = at => set(one, {x: at(x - 7) + 7});  // beside the end of its lane
    } else {
      put = (at, by) => set(one, {x: at(x), width: width * by});
    }
    one.place = [x, x + width];
    if (one.closest('.plot')) moves.push(put);
  }

  // The bars that can be asked, lane by lane.
  const asks = one => one.firstElementChild?.tagName === 'title';
  const asked = lane => [...lane.children].filter(asks);
  const rows = lanes.map(asked).filter(bars => bars.length);
  for (const bars of rows) {
    bars.sort((one, two) => one.place[0] - two.place[0]);
    for (const one of bars) set(one, {role: 'img', tabindex: -1});
  }
  set(svg, {role: 'group'});
  rows[0]?.[0].setAttribute('tabindex', 0);

  const hint = 'Point at a bar, or Tab and arrow keys: what was it?'
    + (wide ? ' Drag, or + and \u2212: look closer.' : '');
  const line = document.createElement('p'), said = document.createElement('span');
  const shown = document.createElement('span');
  line.className = 'said';
  said.ariaHidden = true;  // the bar itself is read aloud
  shown.role = 'status';
  const button = (textContent, title, onclick) => Object.assign(document.createElement('button'),
    {type: 'button', hidden: true, tabIndex: -1, textContent, title, onclick});
  const back = button('Whole', 'Show all of the time (key 0)', () => look(0, wide));
  const fold = button('More lanes', 'Unfold or fold lanes (key f)', () => unfold());
  fold.hidden = !folds.length;
  line.append(said, shown, back, fold);
  svg.after(line);

  const say = one => {
    on?.classList.remove('on');
    on = one;
    on?.classList.add('on');
    said.textContent = on ? on.firstElementChild.textContent : hint;
  };
  say(null);

  // Show what lies between two places of the whole picture.
  const look = (low, high) => {
    const span = Math.min(Math.max(high - low, wide / 1000), wide);
    from = Math.min(Math.max(low, 0), wide - span);
    to = from + span;
    const by = wide / span, at = x => (x - from) * by, whole = by === 1;
    for (const put of moves) put(at, by);
    for (const old of find('.closer')) old.remove();
    for (const text of find('.plot .detail, .grid > *, .tick > *')) {
      text.style.display = whole ? '' : 'none';
    }
    back.hidden = whole;
    shown.textContent = '';
    if (whole) return;
    const least = 80 / scale / by, power = 10 ** Math.floor(Math.log10(least));
    const step = power * [1, 2, 5, 10].find(one => power * one >= least);
    for (let n = Math.ceil((start + from / scale) / step); ; n++) {
      const x = at((n * step - start) * scale);
      if (x > wide) break;
      for (const grid of find('.grid')) make('path', grid, {class: 'closer', d: `M${x} 0V9999`});
      make('text', find('.tick')[0], {class: 'closer', x, y: 13, 'text-anchor': 'middle'})
        .textContent = +(n * step).toPrecision(9);
    }
    for (const bar of find('[data-label]')) {
      const left = Math.max(at(bar.place[0]), 0), right = Math.min(at(bar.place[1]), wide);
      const text = bar.dataset.label, blocks = bar.matches('.blocked'), y = blocks ? 4 : -6;
      if (right - left < text.length * 6.5) continue;
      make('text', bar.parentNode,
        {class: `closer detail${blocks ? ' blocks' : ''}`, x: (left + right) / 2, y, 'text-anchor': 'middle'})
        .textContent = text;
    }
    const [first, last] = [from, to].map(x => +(start + x / scale).toPrecision(4));
    shown.textContent = `${first} to ${last} ${svg.dataset.unit}`;
  };
  const closer = (by, [low, high]) => {
    const middle = (Math.max(low, from) + Math.min(high, to)) / 2, half = (to - from) * by / 2;
    look(middle - half, middle + half);
  };
  const unfold = () => {
    open = !open;
    let high = svg.viewBox.baseVal.height;
    for (const more of folds) {
      const by = +more.dataset.height;
      high += open ? by : -by;
      set(more, {display: open ? 'inline' : 'none'});
      set(more.parentNode.nextElementSibling, {transform: `translate(0 ${open ? by : 0})`});
    }
    set(svg, {height: high, viewBox: `0 0 ${svg.viewBox.baseVal.width} ${high}`});
    fold.textContent = open ? 'Fewer lanes' : 'More lanes';
  };

  const go = one => {
    if (!one) return;
    find('[tabindex="0"]')[0].setAttribute('tabindex', -1);
    one.setAttribute('tabindex', 0);
    const [left, right] = one.place, half = (to - from) / 2;
    if (wide && (right < from || left > to)) look(left - half, left + half);
    one.focus();
  };
  figure.press = (key, one) => {
    const seen = rows.filter(bars => !bars[0].closest('[display=none]'));
    const row = seen.findIndex(bars => bars.includes(one)), bars = seen[row];
    if (!bars) return false;
    const near = bars => bars?.reduce((best, bar) =>
      Math.abs(bar.place[0] - one.place[0]) < Math.abs(best.place[0] - one.place[0]) ? bar : best);
    const act = {
      ArrowRight: () => go(bars[bars.indexOf(one) + 1]),
      ArrowLeft: () => go(bars[bars.indexOf(one) - 1]),
      ArrowDown: () => go(near(seen[row + 1])),
      ArrowUp: () => go(near(seen[row - 1])),
      Home: () => go(bars[0]),
      End: () => go(bars.at(-1)),
      ...folds.length && {f: () => { unfold(); if (one.closest('[display=none]')) go(rows[0][0]); }},
      ...wide && {'+': () => closer(.5, one.place), '=': () => closer(.5, one.place),
        '-': () => closer(2, one.place), 0: () => look(0, wide)},
    }[key];
    act?.();
    return Boolean(act);
  };

  // A bar may be a few pixels high: whatever lies at its time, on its lane, is meant.
  const under = event => {
    if (asks(event.target)) return event.target;
    const lane = lanes.find(one => {
      const {a, f} = one.getScreenCTM();
      return Math.abs(event.clientY - f) < 13 * a;
    });
    if (!lane) return null;
    const {a, e} = lane.getScreenCTM(), x = (event.clientX - e) / a;
    return asked(lane).reverse().find(one => +one.getAttribute('x') - 2 <= x &&
      x <= +one.getAttribute('x') + +one.getAttribute('width') + 2) || null;
  };
  const along = event => {
    const {a, e} = find('.grid')[0].getScreenCTM();
    return Math.min(Math.max(from + (event.clientX - e) / a * (to - from) / wide, 0), wide);
  };
  const listen = (what, does) => svg.addEventListener(what, does);
  const focused = () => svg.contains(document.activeElement) ? document.activeElement : null;
  // On the figure: what listens for the focus in SVG can be reached by Tab itself.
  figure.addEventListener('focusin', event => say(asks(event.target) ? event.target : null));
  figure.addEventListener('focusout', () => say(null));
  listen('pointerleave', () => drag || say(focused()));
  listen('pointermove', event => {
    if (!drag) return say(under(event) || focused());
    const at = x => (x - from) / (to - from) * wide, ends = [drag.x, along(event)].map(at);
    for (const rect of drag.rects) {
      set(rect, {x: Math.min(...ends), width: Math.abs(ends[1] - ends[0])});
    }
  });
  listen('pointerdown', event => {
    if (!wide || event.button || !event.target.closest('.plot')) return;
    const rects = plots.map(plot => make('rect', plot, {class: 'chosen', height: 9999}));
    drag = {x: along(event), rects};
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    const one = under(event);
    if (one?.role) go(one);
  });
  const done = event => {
    if (!drag) return;
    for (const rect of drag.rects) rect.remove();
    const ends = [drag.x, along(event)].sort((one, two) => one - two);
    drag = null;
    if (event.type === 'pointerup' && ends[1] - ends[0] > (to - from) / 100) look(...ends);
  };
  listen('pointerup', done);
  listen('pointercancel', done);
  listen('dblclick', () => wide && look(0, wide));
};
// Before JupyterLab, which has commands on the same keys.
window.courseTimelineKeys ??= addEventListener('keydown', event => {
  const figure = event.target.closest?.('.timeline-figure');
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (!figure?.press?.(event.key, event.target)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true) ?? true;
window.courseTimeline(document.currentScript.parentNode);
