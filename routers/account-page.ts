/**
 * The account page's operations, which need a session and no key. Apart from `appRouter`, so that the type which strangers
 * build on names only what a key reaches.
 */
import { ownKeysRouter } from './own-keys.ts';
import { sessionRouter } from './session.ts';
import { router } from './trpc.ts';

export const accountPageRouter = router({
  session: sessionRouter,
  keys: ownKeysRouter,
});

export type AccountPageRouter = typeof accountPageRouter;
