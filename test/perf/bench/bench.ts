/** What all parts of the benchmark share: the environment, the customers, the servers and how much effort is made. */
import type { Contender, ServerName } from './contenders.ts';
import type { Customers } from './customers.ts';
import type { Environment, RunningServer } from './environment.ts';
import type { Effort } from './measure.ts';
import type { Options } from './options.ts';

export interface Bench {
  environment: Environment;
  options: Options;
  effort: Effort;
  customers: Customers;
  servers: Servers;
  say: (line: string) => void;
}

export const databaseName = 'bench';

const oneCall = { RATE_LIMIT_PER_MINUTE: '1' };

/**
 * The processes on the common database, each started on first use. Each contender has its own, also ours in each protocol, so
 * that all have served the same load when they are compared.
 */
export class Servers {
  readonly #environment: Environment;
  readonly #started = new Map<string, Promise<RunningServer>>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** The process to call, and those that it calls itself; the limit is raised, or one call per minute for the 429s. */
  async of(contender: Contender, place: Place): Promise<RunningServer[]> {
    const { name, server, asksOurs, usesRedis } = contender;
    if (asksOurs) {
      const asked = await this.#running(`ours for ${name}`, 'ours', place);
      return [await this.#running(name, server, { ...place, settings: { PUBLIC_URL: asked.url } }), asked];
    }
    const redis = usesRedis ? { REDIS_URL: await this.#environment.redisUrl() } : {};
    return [await this.#running(name, server, { ...place, settings: redis })];
  }

  /** All that were started, by name. */
  async list(): Promise<(RunningServer & { name: string })[]> {
    return Promise.all([...this.#started].map(async ([name, running]) => ({ ...(await running), name })));
  }

  #running(contender: string, server: ServerName, { process, isLimited, settings }: Place) {
    const name = `${contender}${isLimited ? ', limited' : ''}, ${process + 1}`;
    const where = { databaseName, settings: { ...settings, ...(isLimited && oneCall) } };
    const running = this.#started.get(name) ?? this.#environment.start(server, where);
    this.#started.set(name, running);
    return running;
  }
}

/** Which of a contender's processes. */
interface Place {
  process: number;
  isLimited: boolean;
  settings?: Record<string, string>;
}

/** A contender's processes share the time of its turn. */
export const effortOf = ({ rounds, seconds, warmUp, quick, processes }: Options): Effort =>
  quick
    ? { rounds: 2, processes, seconds: 1 / processes, warmUpCalls: 2000 }
    : { rounds, processes, seconds: seconds / processes, warmUpCalls: warmUp };
