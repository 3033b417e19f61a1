import type {
  Activity,
  Change,
  ClassifyReply,
  ClusterState,
  CommandRow,
  ConfirmationRow,
  Entry,
  FileDiff,
  GuestReply,
  QueuedMessage,
  SamplesReply,
  Snapshot,
  ToolInfo,
} from 'protocol'

import type { WatchScene } from './scripted-watch.ts'

type Without<E> = E extends Entry ? Omit<E, 'seq' | 'runId' | 'at'> & { at?: number } : never
export type ScriptEntry = Without<Entry>

export type ScriptSession = {
  id: string
  title: string
  updatedAt: number
  source?: 'chat' | 'mcp'
  runId?: string
  entries: Entry[]
  /** Older entries, which the dashboard reads over REST. */
  earlier?: Entry[]
  partial?: Snapshot['partial']
  queued?: QueuedMessage[]
  progress?: Record<string, string>
  notice?: Snapshot['notice']
  todo?: Snapshot['todo']
  seq?: number
}

export type Scene = {
  cluster: ClusterState
  sessions: ScriptSession[]
  decided?: ConfirmationRow[]
  feed?: Omit<Activity, 'id'>[]
  tools?: ToolInfo[]
  changes?: Change[]
  /** Answers about guests, by vmid. */
  guests?: Record<string, GuestReply>
  /** Configurations in snapshots, by `VMID/NAME`. */
  snapshots?: Record<string, Record<string, string>>
  /** The verdict on a call; undefined: a verdict by the tool's name alone. */
  classify?: (toolName: string, input: Record<string, unknown>) => ClassifyReply | undefined
  samples?: SamplesReply
  watch?: WatchScene
  /** Pictures as media type and bytes, by id. */
  pictures?: Record<string, [type: string, data: Buffer]>
  isDemoCluster?: boolean
  /** The commands of each session. */
  commands?: CommandRow[]
  /** Complete diffs, by the toolUseId of their card. */
  diffs?: Record<string, FileDiff[]>
}
