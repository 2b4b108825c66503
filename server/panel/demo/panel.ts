/** Types of the demo panel: its servers, and the calls about one of them. */
import type { Clock } from '../../../routers/ports.ts';
import type { PanelAnswer, ReceivedRequest } from './answers.ts';
import type { FileTree } from './file-tree.ts';

/** The fields that the demo panel reads itself. It passes on all others. */
export interface ServerAttributes {
  identifier: string;
  uuid: string;
  name: string;
  status: string | null;
  limits: { memory: number; disk: number; cpu: number };
  feature_limits: { backups: number };
  /** The command has placeholders such as `{{SERVER_JARFILE}}` for the values of variables. */
  container: { startup_command: string; image: string };
}

export interface VariableAttributes {
  name: string;
  description: string;
  env_variable: string;
  default_value: string;
  server_value: string | null;
  is_editable: boolean;
  rules: string;
}

/** How a server starts, besides its command and image. */
export interface Startup {
  variables: VariableAttributes[];
  /** By their names for people. PHP writes an empty map as a list. */
  images: Record<string, string> | never[];
  /** The placeholders and values of the last installation. */
  installed?: [string, string][];
}

export interface BackupAttributes {
  uuid: string;
  name: string;
  checksum: string | null;
  bytes: number;
  is_successful: boolean;
  is_locked: boolean;
  created_at: string;
  completed_at: string | null;
}

export interface TaskAttributes {
  id: number;
  action: string;
  payload: string;
  time_offset: number;
  continue_on_failure: boolean;
}

export interface ScheduleAttributes {
  id: number;
  name: string;
  cron: Record<'minute' | 'hour' | 'day_of_month' | 'month' | 'day_of_week', string>;
  is_active: boolean;
  is_processing: boolean;
  only_when_online: boolean;
  last_run_at: string | null;
  created_at: string;
  tasks: TaskAttributes[];
}

type Figure = 'memory_bytes' | 'cpu_absolute' | 'disk_bytes' | 'network_rx_bytes' | 'network_tx_bytes';

export interface PanelStats {
  current_state: string;
  resources: Record<Figure | 'uptime', number>;
}

export interface GameServer {
  attributes: ServerAttributes;
  /** Oldest first. */
  backups: BackupAttributes[];
  schedules: ScheduleAttributes[];
  readonly startup: Startup;
  readonly files: FileTree;
  stats(): PanelStats;
  lines(): readonly string[];
  signal(word: string): void;
  enter(command: string): void;
}

export interface ReceivedServerRequest extends ReceivedRequest {
  server: GameServer;
  rest: string;
  query: URLSearchParams;
}

/** The answer of a node to a request by a signed link. */
export type OpenLink = (call: ReceivedRequest) => PanelAnswer | Promise<PanelAnswer>;

export interface Panel {
  clock: Clock;
  newId(kind: 'schedule' | 'task'): number;
  issueToken(path: string, open: OpenLink): string;
  after(ms: number, finish: () => void): void;
  consoleAccess(uuid: string, host: string): { token: string; socket: string };
}

export type AnswerServerCall = (call: ReceivedServerRequest, panel: Panel) => PanelAnswer;

/** By method and path, in which `:id` stands for any id. */
export type ServerRoutes = Partial<Record<string, AnswerServerCall>>;
