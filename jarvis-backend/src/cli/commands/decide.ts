import { defineCommand, text, url, where } from '../command.ts'

export const decideCommands = [
  defineCommand({
    name: 'waiting',
    group: 'Decide',
    forms: [{ args: '', about: 'the cards that wait for a person; exits 3 where there is one' }],
    options: where,
    run: async (config, input) => (await import('../decide.ts')).waiting(config, input),
  }),
  defineCommand({
    name: 'decide',
    group: 'Decide',
    forms: [{ args: 'ID', about: 'shows a card in full and asks; your password decides, typed at a terminal' }],
    options: { url, sign: text('KEY', 'your SSH key that signs the approval, where the card must be signed') },
    run: async (config, input) => (await import('../decide.ts')).decide(config, input),
  }),
  defineCommand({
    name: 'grants',
    group: 'Decide',
    forms: [
      { args: '', about: 'what may run without a card for now: until when, how often, and who allowed it' },
      { args: 'revoke ID', about: 'such calls ask again; takes your password' },
    ],
    options: where,
    run: async (config, input) => (await import('../grants.ts')).grants(config, input),
  }),
  defineCommand({
    name: 'questions',
    group: 'Decide',
    forms: [{ args: '', about: 'the questions that wait for a person; exits 3 where there is one' }],
    options: where,
    run: async (config, input) => (await import('../asked.ts')).questions(config, input),
  }),
  defineCommand({
    name: 'answer',
    group: 'Decide',
    forms: [{ args: 'ID', about: 'answers a question at a terminal, with your password; it allows nothing' }],
    options: { url },
    run: async (config, input) => (await import('../asked.ts')).answer(config, input),
  }),
  defineCommand({
    name: 'plan',
    group: 'Decide',
    forms: [{ args: '[ID]', about: 'plans that began, newest first, or the steps of one' }],
    options: where,
    run: async (config, input) => (await import('../plan.ts')).plan(config, input),
  }),
  defineCommand({
    name: 'run',
    group: 'Decide',
    forms: [
      { args: 'RUNBOOK [node=pve …]', about: 'starts a runbook on the running server, and waits; it decides nothing' },
    ],
    options: {
      url: text('URL', 'another JARVIS; takes its password'),
      wait: text('SECONDS', 'how long to wait for its end; 600 by default'),
    },
    async run(config, { values, positionals }) {
      const { runbooks } = await import('../runbooks.ts')
      await runbooks(config, { values, positionals: ['run', ...positionals] })
    },
  }),
]
