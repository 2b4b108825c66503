/** Demo data: a user with servers in the demo panel, games, announcements, a ticket, subscriptions and an API key. */
import { randomBytes } from 'node:crypto';
import type { NewApiKey } from '../../models/api-key/store.ts';
import type { GameRecord, PlanRecord } from '../../models/game.ts';
import type { Models } from '../../models/index.ts';
import { dayMs } from '../../models/support/durations.ts';
import { latestExpiry } from '../../routers/key-restrictions.ts';
import { selectOfferedScopes } from '../../routers/scopes.ts';
import { type Config, keyPolicyOf } from '../config.ts';
import { demoPanelUserId } from '../panel/demo/demo.ts';

export interface DemoCredentials {
  email: string;
  password: string;
  key: string;
}

type DemoKey = Pick<NewApiKey, 'scopes' | 'expiresAt'>;

export const demoEmail = 'demo@example.com';

export const demoKeyOf = (config: Config, now: Date): DemoKey => ({
  scopes: selectOfferedScopes(config),
  expiresAt: latestExpiry(keyPolicyOf(config), now),
});

export async function seedDemo(models: Models, demoKey: DemoKey, now: Date): Promise<DemoCredentials | null> {
  const password = randomBytes(9).toString('base64url');
  const profile = { firstName: 'Dana', lastName: 'Demo', nickname: 'dana', panelUserId: demoPanelUserId };
  const user = await models.users.add({ ...profile, email: demoEmail, password, isAdmin: true }, now);
  if (!user) return null;
  await models.games.import(demoGames);
  for (const announcement of demoAnnouncements) await models.announcements.add(announcement, now);
  const inDays = (days: number) => new Date(now.getTime() + days * dayMs);
  for (const { startsIn, renewsIn, ...subscription } of demoSubscriptions) {
    const added = { ...subscription, userId: user._id, renewsAt: inDays(renewsIn) };
    await models.subscriptions.add(added, inDays(startsIn));
  }
  const newKey = { userId: user._id, name: 'Demo', ...demoKey };
  const { key, secret } = await models.apiKeys.issue(newKey, now);
  const ticket = await models.tickets.open({ ...demoTicket, userId: user._id, keyId: key._id, now });
  const answer = { staffId: noUserId, keyId: '', text: demoAnswer, now };
  await models.tickets.reply({ ...answer, ticketId: ticket._id, userId: user._id });
  return { email: demoEmail, password, key: secret };
}

const plan = (title: string, price: string, features: string[]): PlanRecord => {
  return { title, subtitle: '', price, period: 'month', popular: false, features, billingId: null };
};

const popularPlan = (...described: Parameters<typeof plan>): PlanRecord => ({
  ...plan(...described),
  popular: true,
  subtitle: 'Our most popular choice',
});

/** An icon as a data URL, so that the demo works offline. @param shapes the path data of each color */
function iconOf(shapes: Record<string, string>): string {
  const paths = Object.entries(shapes).map(([color, path]) => `<path fill="${color}" d="${path}"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">${paths.join('')}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const ground = 'M0 0h40v40H0z';

type DemoGame = Pick<GameRecord, '_id' | 'title' | 'icon' | 'plans'> & { shortDesc: string };

const game = (fields: DemoGame): GameRecord => ({
  ...fields,
  description: `${fields.title} servers, ready in a minute. ${fields.shortDesc}`,
  category: 'Survival',
  cover: null,
  banner: null,
  pricingBackground: null,
  priceFrom: fields.plans[0]?.price ?? null,
  isActive: true,
});

const demoGames: GameRecord[] = [
  game({
    _id: 'minecraft',
    title: 'Minecraft',
    icon: iconOf({
      '#6f4a2e': ground,
      '#8a5f3c': 'M4 20h8v8H4zM24 28h8v8h-8zM28 18h8v6h-8z',
      '#4e9a3a': 'M0 0h40v12h-6v5h-6v-3h-8v6h-6v-6H6v4H0z',
      '#6cbf4f': 'M4 2h8v5H4zM22 4h10v4H22z',
    }),
    shortDesc: 'Java and Bedrock, with any mod pack.',
    plans: [
      plan('Dirt', '€4.99', ['2 GB memory', '10 slots']),
      popularPlan('Iron', '€9.99', ['6 GB memory', '40 slots', 'Daily backups']),
    ],
  }),
  game({
    _id: 'valheim',
    title: 'Valheim',
    icon: iconOf({
      '#16324a': ground,
      '#e8d8b0': 'M19 5h2v24h-2zM9 8h22q-3 8 0 15H9q3-7 0-15z',
      '#b8442f': 'M14 8h4v15h-4zM23 8h4v15h-4z',
      '#8a5a2b': 'M4 25q3 9 16 9t16-9q-4 4-16 4T4 25z',
    }),
    shortDesc: 'Sail with up to ten friends.',
    plans: [popularPlan('Longship', '€8.99', ['4 GB memory', '10 slots', 'Daily backups'])],
  }),
  game({
    _id: 'rust',
    title: 'Rust',
    icon: iconOf({
      '#3a2118': ground,
      '#d0532f':
        'M17 5h6l1 5 4-3 5 5-3 4 5 1v6l-5 1 3 4-5 5-4-3-1 5h-6l-1-5-4 3-5-5 3-4-5-1v-6l5-1-3-4 5-5 4 3z',
      '#f2c9a0': 'M20 14a6 6 0 1 0 .01 0zm0 4a2 2 0 1 1-.01 0z',
    }),
    shortDesc: 'Wipes on your schedule.',
    plans: [
      plan('Hut', '€14.99', ['8 GB memory', '50 slots']),
      popularPlan('Fortress', '€29.99', ['16 GB memory', '200 slots', 'Daily backups']),
    ],
  }),
];

/** The first is named like its server. */
const demoSubscriptions = [
  {
    ...{ providerId: 'demo-iron', name: 'Hearthstead SMP', status: 'active', price: '€9.99 a month' },
    ...{ startsIn: -47, renewsIn: 14 },
  },
  {
    ...{ providerId: 'demo-fortress', name: 'Rust Fortress', status: 'past_due', price: '€29.99 a month' },
    ...{ startsIn: -152, renewsIn: -1 },
  },
  {
    ...{ providerId: 'demo-longship', name: 'Valheim Longship', status: 'canceled', price: '€8.99 a month' },
    ...{ startsIn: -240, renewsIn: 3 },
  },
];

const demoAnnouncements = [
  {
    title: 'Welcome to gamehost',
    summary: 'The public API is open.',
    message: 'Issue a key and call GET /api/v1/me.',
    tag: 'news',
    status: 'published' as const,
    showInRibbon: true,
  },
  {
    title: 'Maintenance next week',
    summary: 'A draft that only administrators see.',
    message: 'We will move to new machines.',
    tag: 'maintenance',
    status: 'draft' as const,
    showInRibbon: false,
  },
];

/** The demo has no staff, so the answer shows Support as its author. */
const noUserId = 0;

const demoAnswer = 'Open the server in the panel, choose Users, and invite them by e-mail.';

const demoTicket = {
  subject: 'How do I invite a friend?',
  text: 'I would like a friend to manage my server with me.',
  serviceName: null,
  serviceReference: null,
  serviceType: null,
};
