import { z } from 'zod'

/** One line of the activity feed. JARVIS composes `text`, which is plain text. Names in it come from others and are data. */
export const Activity = z.object({
  id: z.int(),
  at: z.int(),
  kind: z.enum([
    'guest',
    'node',
    'task',
    'call',
    'confirmation',
    'policy',
    'storage',
    'backup',
    'cluster',
    'mcp',
    'alert',
    'job',
    'person',
    'channel',
    'session',
  ]),
  level: z.enum(['info', 'warning', 'error']),
  text: z.string(),
  vmid: z.int().optional(),
  node: z.string().optional(),
  sessionId: z.string().optional(),
})
export type Activity = z.infer<typeof Activity>

/** Events of `/events`. On connect the server sends `ages`, then the newest 100 lines as single `event`s, oldest first. */
export type ActivityEvents = {
  event: Activity
  /**
   * How long ago each list last changed, ms, so that a client that read lists before it connected knows which of them to read again. A list that is
   * absent has not changed for `upMs`, the time since the server began to count.
   */
  ages: { upMs: number; lists: { [What in ActivityEvents['changed']['what']]?: number } }
  /** A list has changed; clients read it again over REST. */
  changed: {
    what:
      | 'sessions'
      | 'confirmations'
      | 'grants'
      | 'settings'
      | 'memory'
      | 'mcp_servers'
      | 'push'
      | 'channels'
      | 'limits'
      | 'samples'
      | 'changes'
      | 'proofs'
      | 'alerts'
      | 'jobs'
      | 'runbooks'
      | 'questions'
      | 'skills'
      | 'agents'
      | 'people'
      | 'commands'
    sessionId?: string
  }
}
