import type { DoctorCheck } from 'protocol'

export const ok = (area: string, text: string): DoctorCheck => ({ area, health: 'ok', text })
export const warn = (area: string, text: string, fix: string): DoctorCheck => ({ area, health: 'warn', text, fix })
export const bad = (area: string, text: string, fix: string): DoctorCheck => ({ area, health: 'bad', text, fix })

/** A bad check from an error: the message's first line is what was seen, further lines are what to do. */
export function badFrom(area: string, error: unknown, fix: string): DoctorCheck {
  const message = error instanceof Error ? error.message : String(error)
  const [text = '', ...rest] = message.split('\n')
  return bad(area, text, rest.length === 0 ? fix : rest.join(' '))
}
