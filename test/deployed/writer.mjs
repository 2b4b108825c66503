/**
 * node writer.mjs URL KEYS SECONDS PER_SECOND TAG: opens tickets at a steady rate, one attempt each, using the keys in turn, and closes
 * them, as a customer may have only so many open. Prints as JSON the answers by status and code, the titles that were acknowledged,
 * how long after they were due, the longest time without one, and when failures were sent.
 */
const [, , base, keys, seconds, rate, tag] = process.argv;
const started = Date.now();
const counts = {};
const acknowledged = [];
const latencies = [];
const failures = [];
let lastAt = started;
let longestGapMs = 0;

async function post(path, key, body = {}) {
  const response = await fetch(`${base}/api/v1${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(70_000),
  });
  const text = await response.text();
  return { isOk: response.ok, status: response.status, text };
}

function codeOf(text) {
  try {
    return JSON.parse(text).error.code;
  } catch {
    return text.slice(0, 60);
  }
}

async function open(title, key, dueAt) {
  const sentAt = Date.now();
  const failed = (failure) => ({ isOk: false, status: failure.cause?.code ?? failure.name, text: '' });
  const { isOk, status, text } = await post('/tickets', key, { title, message: 'm' }).catch(failed);
  const answer = isOk ? String(status) : `${status} ${codeOf(text)}`.trim();
  counts[answer] = (counts[answer] ?? 0) + 1;
  if (!isOk) return void failures.push({ sentAt, answer });
  acknowledged.push(title);
  latencies.push(Date.now() - dueAt);
  longestGapMs = Math.max(longestGapMs, Date.now() - lastAt);
  lastAt = Date.now();
  await post(`/tickets/${JSON.parse(text).ticket.id}/close`, key).catch(() => {});
}

const keysInTurn = keys.split(',');
const calls = [];
while (Date.now() - started < seconds * 1000) {
  const dueAt = started + (calls.length * 1000) / rate;
  calls.push(open(`${tag}-${calls.length}`, keysInTurn[calls.length % keysInTurn.length], dueAt));
  const nextAt = started + (calls.length * 1000) / rate;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - Date.now())));
}
await Promise.all(calls);
latencies.sort((a, b) => a - b);
const percentile = (part) => latencies[Math.floor((latencies.length - 1) * part)];
process.stdout.write(
  `${JSON.stringify({
    ...{ sent: calls.length, counts, longestGapMs, p50Ms: percentile(0.5), p99Ms: percentile(0.99) },
    ...{ failures, acknowledged },
  })}\n`,
);
