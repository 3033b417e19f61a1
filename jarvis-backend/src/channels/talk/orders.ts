/** A line of a chat that JARVIS answers without a model. `rest` of `new`: the first message of the new conversation. */
export type Order =
  | { does: 'sessions' | 'status' | 'waiting' | 'stop' | 'send' | 'drop' | 'help' }
  | { does: 'new'; rest: string }

const alone = {
  sessions: 'sessions',
  status: 'status',
  waiting: 'waiting',
  stop: 'stop',
  send: 'send',
  drop: 'drop',
  help: 'help',
  start: 'help',
} as const

/** Reads an order. @returns undefined if the text is meant for the model, or is a typed call */
export function orderOf(text: string): Order | undefined {
  // Telegram adds the bot's name if it completes a command.
  const [, word, rest = ''] = /^\/([a-z]+)(?:@\w+)?(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  if (word === 'new') return { does: 'new', rest: rest.trim() }
  if (word === undefined || rest !== '' || !Object.hasOwn(alone, word)) return undefined
  return { does: alone[word as keyof typeof alone] }
}

/** The agent that a message names at its beginning: `@media is the library scanned?`. */
export const namedAgent = (text: string): string | undefined =>
  /^@([a-z][a-z0-9-]{0,23})[ \t,:]*(?:(?<=[ \t])|\s)/.exec(text.trim())?.[1]

export const helpLines = [
  'Write what you want, or a typed call such as /stop_vm vmid=103.',
  '/new begins a conversation, @agent one with that agent.',
  '/sessions lists them, /stop stops the answer and holds what you sent after it.',
  '/status tells of the cluster, /waiting of what waits for you.',
]
