import { z } from 'zod'

/** A command of the workbench, as a conversation shows it. Texts are redacted. */
export const CommandRow = z.object({
  id: z.string(),
  /** Id of the call that started the command; absent for commands of an earlier release. */
  toolUseId: z.string().optional(),
  command: z.string(),
  /** `ROOT/PATH`. */
  folder: z.string(),
  isBackground: z.boolean(),
  level: z.enum(['full', 'landlock', 'none']),
  /** Unix ms. */
  startedAt: z.int(),
  /** Time at which the command is ended at the latest, Unix ms. */
  endsBy: z.int(),
  status: z.enum(['running', 'ended']),
  endedAt: z.int().optional(),
  /** The end of the command in words: `exit code 0`, `ended with JARVIS`. */
  words: z.string().optional(),
  exitCode: z.int().optional(),
  /** The last lines of its output. */
  lastLines: z.array(z.string()),
  /** Number of files that the command would change. */
  changes: z.int().nonnegative().optional(),
})
export type CommandRow = z.infer<typeof CommandRow>

/** `now`: the server's time, Unix ms. */
export const CommandsReply = z.object({ items: z.array(CommandRow), now: z.int() })
export type CommandsReply = z.infer<typeof CommandsReply>
