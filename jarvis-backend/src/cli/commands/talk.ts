import { defineCommand, flag, model, text, url, wait, where } from '../command.ts'

export const talkCommands = [
  defineCommand({
    name: 'chat',
    group: 'Talk',
    forms: [
      { args: '[SESSION]', about: 'talk at the terminal; cards are decided there. `jarvis` alone does the same' },
    ],
    options: {
      url,
      model,
      'read-only': flag('a conversation whose calls may only read'),
      'dry-run': flag('a rehearsal: what would change something only says what it would do'),
    },
    example: 'chat',
    note: 'Ctrl-C stops the answer, twice leaves; Ctrl-D leaves. What you type during an answer is sent after it.',
    run: async (config, input) => (await import('../chat.ts')).chat(config, input),
  }),
  defineCommand({
    name: 'ask',
    group: 'Talk',
    forms: [{ args: 'QUESTION | -', about: 'one question; the answer on standard output, all else on standard error' }],
    options: {
      ...where,
      jsonl: flag('every event as it happens, a line each'),
      session: text('SESSION', 'goes on in that conversation'),
      model,
      attach: { ...text('FILE', 'a picture or a text file, up to eight'), multiple: true },
      'read-only': flag('its calls may only read'),
      'dry-run': flag('a rehearsal, in a new conversation'),
      wait,
      'no-wait': flag('ends with 3 as soon as a card waits'),
    },
    example: 'ask "which guests have no fresh backup?"',
    note: 'Text that is piped in goes along as data: `journalctl -u pveproxy -n 200 | jarvis ask "why did it stop?"`. With `-` it is the question.',
    run: async (config, input) => (await import('../ask.ts')).ask(config, input),
  }),
  defineCommand({
    name: 'call',
    group: 'Talk',
    forms: [{ args: 'TOOL [key=value …]', about: 'one call of a tool, through the gate as any other' }],
    options: {
      ...where,
      'dry-run': flag('only says what it would do'),
      wait,
      'no-wait': flag('ends with 3 as soon as a card waits'),
    },
    example: 'call get_node_status node=pve',
    run: async (config, input) => (await import('../call.ts')).call(config, input),
  }),
  defineCommand({
    name: 'share',
    group: 'Talk',
    forms: [
      { args: 'SESSION', about: 'with whom a conversation is shared' },
      {
        args: 'SESSION PERSON look|talk|off',
        about: 'lets somebody read it, or write in it too, or neither; takes your password',
      },
    ],
    options: where,
    example: 'share ses_… ann look',
    run: async (config, input) => (await import('../share.ts')).share(config, input),
  }),
]
