import { AgentId } from 'protocol'

/** The order in an `/agent` line. `agent` undefined: the line only asks for the session’s agent, or was not understood; then `problem` says why. */
export type AgentOrder = { agent?: string; problem?: string }

/** Parses a message such as `/agent media` or `/agent`, typed by the operator; undefined for any other message. */
export function agentOrder(message: string): AgentOrder | undefined {
  const [line, word = ''] = /^\/agent(?:[ \t]+(\S.*)?)?$/.exec(message.trim()) ?? []
  if (line === undefined) return undefined
  if (word === '') return {}
  return AgentId.safeParse(word).success
    ? { agent: word }
    : {
        problem:
          'Not understood. Write /agent and the name of an agent, as the page Agents has it. Nothing was changed.',
      }
}

/** Returns JARVIS’s answer to an `/agent` line. @param own the agent of the session */
export function agentLine(own: string, { agent = own }: AgentOrder): string {
  const whole = `This conversation is with ${own}, and stays so: another agent would read what was said to ${own}.`
  return agent === own
    ? `This conversation is with ${own}. Begin a new one with @name, or with /agent and a name, to talk to another agent.`
    : `${whole} Begin a new one with @${agent} to talk to ${agent}.`
}

/** Splits a message such as `@media is the library scanned?` into the agent’s name and the text after it; undefined if the message names no agent. */
export function addressed(message: string): { agent: string; text: string } | undefined {
  const [head = '', agent] = /^\s*@([a-z][a-z0-9-]{0,23})[ \t,:]*(?:(?<=[ \t])|\s)/.exec(message) ?? []
  const text = message.slice(head.length).trim()
  return agent === undefined || text === '' ? undefined : { agent, text }
}
