import { defineCommand, flag, json, text } from '../command.ts'

export const dataCommands = [
  defineCommand({
    name: 'journal',
    group: 'Data',
    forms: [
      { args: 'verify', about: 'follows the chain; names the first broken entry and exits 1' },
      { args: 'export [FILE]', about: 'every entry as JSONL, to standard output or FILE' },
      { args: 'prune', about: 'seals old entries into files that may be moved away' },
    ],
    options: {
      before: text('2026-01-01', 'older than that day'),
      'older-than': text('90d', 'older than that'),
      force: flag('overwrites FILE'),
    },
    run: async (config, input) => (await import('../journal.ts')).journal(config, input),
  }),
  defineCommand({
    name: 'secrets',
    group: 'Data',
    forms: [
      { args: '[status]', about: 'which secrets are sealed, and where the key is; exits 1 where one is not' },
      { args: 'rotate', about: 'a new key, while the server runs; the old one goes once all was opened with the new' },
      { args: 'forget', about: 'sets aside what no key here opens, so that it can be entered again' },
    ],
    options: { json },
    example: 'secrets status',
    run: async (config, input) => (await import('../secrets.ts')).secrets(config, input),
  }),
  defineCommand({
    name: 'backup',
    group: 'Data',
    forms: [{ args: 'FILE', about: 'the whole database in one file, while the server runs' }],
    options: { force: flag('overwrites FILE') },
    run: async (config, input) => (await import('../backup.ts')).backup(config, input),
  }),
  defineCommand({
    name: 'restore',
    group: 'Data',
    forms: [{ args: 'FILE', about: 'puts a backup in its place; the server must be stopped' }],
    options: {
      force: flag('also where its journal is broken'),
      unproven: flag('also where nothing proves that JARVIS made it so'),
      'backup-rules': flag('takes policy.yaml and agents.yaml of the backup, too'),
      yes: flag('asks nothing; without a terminal, a restore needs it'),
    },
    run: async (config, input) => (await import('../backup.ts')).restore(config, input),
  }),
]
