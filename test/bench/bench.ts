/** What all parts of the benchmark share: the stage, the customers, the servers and how much effort is made. */
import type { ServerName } from './contenders.ts';
import type { Effort } from './measure.ts';
import type { Options } from './options.ts';
import type { People } from './people.ts';
import type { RunningServer } from './servers.ts';
import type { Stage } from './stage.ts';

export interface Bench {
  stage: Stage;
  options: Options;
  effort: Effort;
  people: People;
  servers: Servers;
  say: (line: string) => void;
}

export const databaseName = 'bench';

const oneCall = { RATE_LIMIT_PER_MINUTE: '1' };

/** The servers on the common database, each started when first asked for. */
export class Servers {
  readonly #stage: Stage;
  readonly #started = new Map<string, Promise<RunningServer>>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** With the limit raised, or, for the 429s, with one of a call a minute. */
  of(server: ServerName, isLimited: boolean): Promise<RunningServer> {
    const name = isLimited ? `${server}, limited` : server;
    const running = this.#started.get(name) ?? this.#start(server, isLimited);
    this.#started.set(name, running);
    return running;
  }

  /** Those that run, by name. */
  async list(): Promise<(RunningServer & { name: string })[]> {
    return Promise.all([...this.#started].map(async ([name, running]) => ({ ...(await running), name })));
  }

  async #start(server: ServerName, isLimited: boolean): Promise<RunningServer> {
    // The peer that asks our API is told where it is.
    const api = server === 'mcp-sdk' ? { PUBLIC_URL: (await this.of('ours', isLimited)).url } : {};
    return this.#stage.start(server, { databaseName, settings: { ...api, ...(isLimited ? oneCall : {}) } });
  }
}

export const effortOf = ({ rounds, seconds, warmUp, quick }: Options): Effort =>
  quick ? { rounds: 2, seconds: 1, warmUpCalls: 2000 } : { rounds, seconds, warmUpCalls: warmUp };
