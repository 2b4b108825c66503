/**
 * node writer.mjs URL KEY SECONDS PER_SECOND TAG: creates tickets at a steady rate, one attempt each, and prints as JSON the
 * answers by status and code, the titles that were acknowledged, the longest time without one, and when failures were sent.
 */
const [, , base, key, seconds, rate, tag] = process.argv;
const started = Date.now();
const counts = {};
const acknowledged = [];
const failures = [];
let lastAt = started;
let longestGapMs = 0;

async function create(title) {
  const response = await fetch(`${base}/api/v1/tickets`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title, message: 'm' }),
    signal: AbortSignal.timeout(70_000),
  });
  const text = await response.text();
  return response.ok ? String(response.status) : `${response.status} ${codeOf(text)}`;
}

function codeOf(text) {
  try {
    return JSON.parse(text).error.code;
  } catch {
    return text.slice(0, 60);
  }
}

async function record(title) {
  const sentAt = Date.now();
  const answer = await create(title).catch((failure) => failure.cause?.code ?? failure.name);
  counts[answer] = (counts[answer] ?? 0) + 1;
  if (!/^2\d\d$/.test(answer)) return void failures.push({ sentAt, answer });
  acknowledged.push(title);
  longestGapMs = Math.max(longestGapMs, Date.now() - lastAt);
  lastAt = Date.now();
}

const calls = [];
while (Date.now() - started < seconds * 1000) {
  calls.push(record(`${tag}-${calls.length}`));
  const nextAt = started + (calls.length * 1000) / rate;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, nextAt - Date.now())));
}
await Promise.all(calls);
process.stdout.write(
  `${JSON.stringify({ sent: calls.length, counts, longestGapMs, failures, acknowledged })}\n`,
);
