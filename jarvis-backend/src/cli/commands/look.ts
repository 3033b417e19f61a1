import { defineCommand, flag, text, url, where } from '../command.ts'

export const lookCommands = [
  defineCommand({
    name: 'sessions',
    group: 'Look',
    forms: [{ args: '[WORDS]', about: 'conversations, newest first; with words those in which they stand' }],
    options: {
      ...where,
      agent: text('AGENT', 'those of this agent'),
      person: text('ID', 'those of this person'),
      channel: text('CHANNEL', 'those used on this channel, such as telegram'),
      since: text('2026-11-02', 'changed on this day or later'),
      until: text('2026-11-30', 'changed on this day or before'),
    },
    run: async (config, input) => (await import('../sessions.ts')).sessions(config, input),
  }),
  defineCommand({
    name: 'feedback',
    group: 'Look',
    forms: [{ args: '', about: 'what people said of answers and of JARVIS, newest first' }],
    options: { ...where, about: text('KIND', 'answer or jarvis alone') },
    run: async (config, input) => (await import('../feedback.ts')).feedback(config, input),
  }),
  defineCommand({
    name: 'replay',
    group: 'Look',
    forms: [{ args: 'SESSION', about: 'a conversation from its beginning, once the journal is verified' }],
    options: where,
    run: async (config, input) => (await import('../sessions.ts')).replay(config, input),
  }),
  defineCommand({
    name: 'children',
    group: 'Look',
    forms: [{ args: 'SESSION', about: 'the work that its agents handed to others' }],
    options: where,
    run: async (config, input) => (await import('../sessions.ts')).children(config, input),
  }),
  defineCommand({
    name: 'context',
    group: 'Look',
    forms: [{ args: 'SESSION', about: 'what fills its model’s window, and what it cost' }],
    options: where,
    run: async (config, input) => (await import('../sessions.ts')).context(config, input),
  }),
  defineCommand({
    name: 'checkpoints',
    group: 'Look',
    forms: [{ args: 'SESSION [SEQ]', about: 'the messages one can go back to, or what going back to one takes back' }],
    options: where,
    run: async (config, input) => (await import('../sessions.ts')).checkpoints(config, input),
  }),
  defineCommand({
    name: 'tools',
    group: 'Look',
    forms: [{ args: '[WORD]', about: 'the tools and their tiers, or those with a word in them' }],
    options: where,
    run: async (config, input) => (await import('../tools.ts')).tools(config, input),
  }),
  defineCommand({
    name: 'watch',
    group: 'Look',
    forms: [{ args: '', about: 'calls, cards and events of all conversations as they happen' }],
    options: {
      url,
      since: text('09:13', 'begins earlier: a time of today, or a span such as 2h'),
      jsonl: flag('a line of JSON each'),
    },
    run: async (config, input) => (await import('../watch.ts')).watch(config, input),
  }),
  defineCommand({
    name: 'logs',
    group: 'Look',
    forms: [{ args: '', about: 'the newest lines of the server’s log; takes your password' }],
    options: {
      ...where,
      level: text('LEVEL', 'error, warn, info or debug'),
      search: text('TEXT', 'only lines with this text'),
    },
    run: async (config, input) => (await import('../logs.ts')).logs(config, input),
  }),
]
