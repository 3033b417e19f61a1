import type { Card } from 'protocol'

/** Returns the effect on the card of a built-in tool; empty for a tool without effects. */
export function effectOf(toolName: string, { force }: Record<string, unknown>): Pick<Card, 'effect'> {
  const [, action, end] = /^(start|stop|restart)_(vm|container)$/.exec(toolName) ?? []
  if (action !== undefined) {
    const type = end === 'vm' ? 'vm' : 'ct'
    const power = { kind: 'power', on: 'guest', action: action as 'start' | 'stop' | 'restart', type } as const
    return { effect: { ...power, ...(force === true && { isForced: true }) } }
  }
  const effect = effects.get(toolName)
  return effect === undefined ? {} : { effect }
}

const effects = new Map<string, NonNullable<Card['effect']>>([
  ['restart_service', { kind: 'power', on: 'service', action: 'restart' }],
  ['wake_node', { kind: 'power', on: 'node', action: 'start' }],
  ['execute_ssh', { kind: 'execute', on: 'node' }],
])
