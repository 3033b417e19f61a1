import { defineCommand, flag, json, text, url, where } from '../command.ts'

export const setUpCommands = [
  defineCommand({
    name: 'setup',
    group: 'Set up',
    forms: [{ args: '', about: 'connects your cluster: asks, tests, writes .env; `setup --help` says what it takes' }],
    options: {},
    hasOwnHelp: true,
    async runEarly({ env, outside, args }) {
      const { setup } = await import('../setup.ts')
      await setup({ env, outside }, args)
    },
  }),
  defineCommand({
    name: 'config',
    group: 'Set up',
    forms: [
      {
        args: '',
        about: 'the settings that somebody set, their values, and where each comes from; no secret is shown',
      },
      { args: 'WORD …', about: 'the settings with a word in their name, and what they mean' },
    ],
    options: { all: flag('also those that have their default'), json },
    example: 'config PVE',
    async runEarly({ env, outside, input }) {
      const { config } = await import('../config.ts')
      config({ env, outside }, input())
    },
  }),
  defineCommand({
    name: 'models',
    group: 'Set up',
    forms: [
      { args: '[list]', about: 'providers, their models, and which one answers' },
      { args: 'presets', about: 'known services' },
      { args: 'add NAME', about: 'adds or changes a provider; asks for its key' },
      { args: 'test NAME[/MODEL]', about: 'one short question, which costs a few tokens' },
      { args: 'use NAME/MODEL', about: 'it answers from the next message on' },
      { args: 'remove NAME', about: 'with its key' },
      { args: 'fallback MODEL NEXT …', about: 'what answers where MODEL fails, in order; none: nothing' },
    ],
    options: {
      preset: text('ID', 'one of the known services'),
      kind: text('KIND', 'in place of a preset, or beside it'),
      url: text('URL', 'where it is'),
      models: text('A,B', 'its models'),
      'key-file': text('FILE', 'the key, in place of the question'),
      'no-key': flag('it needs none'),
      'header-file': text('FILE', 'further headers, a line each: Name: value'),
      consent: { ...text('NEXT', 'may read what a local model was told'), multiple: true },
    },
    opensSecrets: true,
    run: async (config, input) => (await import('../models.ts')).models(config, input),
  }),
  defineCommand({
    name: 'doctor',
    group: 'Set up',
    forms: [{ args: '', about: 'checks everything and says what to do; exits 1 when something is broken' }],
    options: { json, 'no-model': flag('the model is not asked') },
    async runEarly({ env, input }) {
      const { doctor } = await import('../doctor.ts')
      await doctor(env, input())
    },
  }),
  defineCommand({
    name: 'profile',
    group: 'Set up',
    forms: [{ args: '[NAME]', about: 'how much is asked: lockdown, restricted, balanced, permissive, unrestricted' }],
    options: {},
    run: async (config, input) => (await import('../profile.ts')).profile(config, input),
  }),
  defineCommand({
    name: 'roles',
    group: 'Set up',
    forms: [
      { args: '', about: 'the roles, and what each may' },
      {
        args: 'try PERSON TOOL [vmid=101 …]',
        about: 'what the call would get if that person asked for it; runs nothing',
      },
    ],
    options: { role: text('NAME', 'somebody of that role, in place of PERSON'), ...where },
    run: async (config, input) => (await import('../roles.ts')).roles(config, input),
  }),
  defineCommand({
    name: 'user',
    group: 'Set up',
    forms: [
      { args: '[list]', about: 'the people who may sign in, and open invitations' },
      { args: 'invite ROLE [NAME]', about: 'prints a link by which somebody becomes a person here; once, within 72 h' },
      { args: 'withdraw ID', about: 'an invitation counts no longer' },
      { args: 'role NAME ROLE', about: 'another role, which counts at once' },
      { args: 'disable NAME', about: 'cannot sign in, and is signed out' },
      { args: 'enable NAME', about: 'can sign in again' },
      { args: 'remove NAME', about: 'with sign-ins, tokens, passkeys, grants and devices' },
      { args: 'reset NAME', about: 'prints a link that sets a new password; once, within 15 min' },
      {
        args: 'drop-code NAME',
        about: 'turns the second factor off of somebody who lost the device and the recovery codes',
      },
      { args: 'sign-out NAME', about: 'ends every sign-in of that person' },
    ],
    options: { json },
    example: 'user invite operator ann',
    run: async (config, input) => (await import('../user.ts')).user(config, input),
  }),
  defineCommand({
    name: 'signers',
    group: 'Set up',
    forms: [
      { args: '[list]', about: 'your SSH keys that sign decisions; takes your password' },
      { args: 'add FILE.pub', about: 'enrols a key; beside others it takes --sign' },
      { args: 'remove FINGERPRINT', about: 'it decides no more' },
    ],
    options: { url, sign: text('KEY', 'the file of an older key of yours, which signs the new one') },
    example: 'signers add ~/.ssh/id_ed25519.pub',
    run: async (config, input) => (await import('../signers.ts')).signers(config, input),
  }),
  defineCommand({
    name: 'policy',
    group: 'Set up',
    forms: [
      { args: 'check [FILE]', about: 'every problem of a policy.yaml with its line, or what it changes' },
      { args: 'replay [FILE]', about: 'which calls of the journal it would have judged differently' },
      { args: 'print', about: 'what is in force, with all that is shipped' },
    ],
    options: { since: text('7d', 'how far back to replay') },
    run: async (config, input) => (await import('../policy.ts')).policy(config, input),
  }),
]
