// Brings the page up to date without exchanging what has stayed the same: a button under somebody's
// finger, a field in which somebody types, and what somebody has opened stay as they are.
const board = document.getElementById('board');

function update(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName) return void old.replaceWith(fresh);
  if (old.nodeType === Node.TEXT_NODE) return void (old.data = fresh.data);
  for (const {name, value} of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const {name} of [...old.attributes]) {
    if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  const [olds, news] = [[...old.childNodes], [...fresh.childNodes]];
  news.forEach((node, i) => i < olds.length ? update(olds[i], node) : old.append(node));
  olds.slice(news.length).forEach(node => node.remove());
}

const source = new EventSource(board.dataset.live);
source.onmessage = message => {
  const fresh = board.cloneNode();
  fresh.innerHTML = JSON.parse(message.data);
  update(board, fresh);
};
source.onerror = () => {
  if (document.querySelector('.lost')) return;
  const lost = document.createElement('p');
  lost.className = 'lost';
  lost.setAttribute('role', 'alert');
  lost.textContent = 'The board is not reached at the moment.';
  board.append(lost);
};
