import { Effort } from 'protocol'

/** The order in an `/effort` line. `effort` null: use the settings again. Undefined: the line only asks for the effort, or was not understood. */
export type EffortOrder = { effort?: Effort | null; problem?: string }

const words = [...Effort.options, 'default']

/** Parses a message such as `/effort high`, `/effort default` or `/effort`, typed by the operator; undefined for any other message. */
export function effortOrder(message: string): EffortOrder | undefined {
  const [line, word = ''] = /^\/effort(?:[ \t]+(\S.*)?)?$/.exec(message.trim()) ?? []
  if (line === undefined) return undefined
  if (word === '') return {}
  if (word === 'default') return { effort: null }
  const effort = Effort.safeParse(word)
  return effort.success
    ? { effort: effort.data }
    : { problem: `Not understood. Write /effort and one of ${words.join(', ')}. Nothing was changed.` }
}

/** Returns JARVIS’s answer to an `/effort` line. */
export const effortLine = (effort: Effort | undefined): string =>
  effort === undefined
    ? `How much the model thinks is left to the settings. /effort and one of ${words.join(', ')} sets it for this session.`
    : `From the next message on the model thinks with effort ${effort} in this session. /effort default leaves that to the settings.`
