/** Describes the calls to which a rule applies: `all`, `stop_vm, restart_vm`, `power on guest`. */
import type { Rule } from '../world.ts'
export function aboutWords({
  tools,
  effects,
}: {
  tools?: Rule['tools'] | undefined
  effects?: Rule['effects'] | undefined
}): string {
  const effect = effects?.map(({ kind, on, action }) =>
    [action ?? kind ?? 'any effect', ...(on === undefined ? [] : ['on', on])].join(' '),
  )
  return [tools?.join(', '), effect?.join(', ')].filter((words) => words !== undefined).join('; ') || 'all'
}
