import type { DoctorCheck } from 'protocol'

export const ok = (area: string, text: string): DoctorCheck => ({ area, health: 'ok', text })
export const warn = (area: string, text: string, fix: string): DoctorCheck => ({ area, health: 'warn', text, fix })
export const bad = (area: string, text: string, fix: string): DoctorCheck => ({ area, health: 'bad', text, fix })

/** Makes a bad check from an error: the message's first line is the finding, further lines are the remedy. @param fix the remedy if there are none */
export function badFrom(area: string, error: unknown, fix: string): DoctorCheck {
  const message = error instanceof Error ? error.message : String(error)
  const [text = '', ...rest] = message.split('\n')
  return bad(area, text, rest.length === 0 ? fix : rest.join(' '))
}
