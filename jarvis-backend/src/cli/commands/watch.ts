import { defineCommand, flag, text, where } from '../command.ts'

export const watchCommands = [
  defineCommand({
    name: 'jobs',
    group: 'Watch over it',
    forms: [
      { args: '', about: 'what runs by itself: next time, last outcome' },
      { args: 'pause ID', about: 'one of them rests' },
      { args: 'resume ID', about: 'it goes on' },
      { args: 'stop', about: 'all of them rest' },
      { args: 'start', about: 'all of them go on' },
    ],
    options: {},
    run: async (config, input) => (await import('../jobs.ts')).jobs(config, input),
  }),
  defineCommand({
    name: 'budgets',
    group: 'Watch over it',
    forms: [
      { args: '', about: 'what models used today and may use' },
      { args: 'set PART UNIT NUMBER|none', about: 'sets a limit, as in: budgets set day usd 5' },
    ],
    options: {},
    run: async (config, input) => (await import('../budgets.ts')).budgets(config, input),
  }),
  defineCommand({
    name: 'alerts',
    group: 'Watch over it',
    forms: [{ args: '', about: 'what the checks found wrong, or what ended' }],
    options: {
      ...where,
      ended: flag('those that ended'),
      silenced: flag('every silence that holds, also of what has ended'),
    },
    run: async (config, input) => (await import('../alerts.ts')).alerts(config, input),
  }),
  defineCommand({
    name: 'checks',
    group: 'Watch over it',
    forms: [{ args: '', about: 'what is looked at, when, and what could not be seen' }],
    options: {},
    run: async (config) => (await import('../checks.ts')).checks(config),
  }),
  defineCommand({
    name: 'workbench',
    group: 'Watch over it',
    forms: [
      { args: '', about: 'which parts of the workbench policy.yaml turns on, its roots, and what is wrong with them' },
      { args: 'on AREA', about: 'turns files, exec, web, browser, git or docker on in policy.yaml; it counts at once' },
      { args: 'off AREA', about: 'turns it off' },
      { args: 'root add NAME PATH', about: 'lets a folder be read, or gives that name another path' },
      { args: 'root remove NAME', about: 'takes a root out; its files stay' },
      {
        args: 'private add|remove HOST:PORT',
        about: 'lists a place of this network that the web tools may read, or takes it out',
      },
      { args: 'egress add|remove HOST:PORT', about: 'lists a place that a sandbox may ask to reach, or takes it out' },
    ],
    options: {
      write: flag('changes in that root may be asked for'),
      socket: text('PATH', 'of Docker; /var/run/docker.sock by default'),
    },
    example: 'workbench root add compose /srv/compose --write',
    run: async (config, input) => (await import('../workbench.ts')).workbench(config, input),
  }),
  defineCommand({
    name: 'windows',
    group: 'Watch over it',
    forms: [
      { args: '', about: 'maintenance windows, in which nobody is told of alerts' },
      { args: 'add NAME', about: 'a new one, from now on' },
      { args: 'remove ID', about: 'ends one' },
    ],
    options: {
      objects: text('node/pve,vm/101', 'for what'),
      for: text('2h', 'for how long'),
    },
    run: async (config, input) => (await import('../windows.ts')).windows(config, input),
  }),
  defineCommand({
    name: 'channels',
    group: 'Watch over it',
    forms: [
      { args: '[list]', about: 'where JARVIS reaches people, and what a tap there may do; takes your password' },
      { args: 'log', about: 'what was sent, and what became of it' },
      { args: 'test CHANNEL', about: 'sends a test' },
      { args: 'groups CHANNEL', about: 'the group chats that JARVIS is in and does not tell' },
      { args: 'tell CHANNEL NUMBER', about: 'tells a group chat of alerts and jobs from now on' },
    ],
    options: where,
    example: 'channels test ntfy',
    run: async (config, input) => (await import('../channels.ts')).channels(config, input),
  }),
  defineCommand({
    name: 'changes',
    group: 'Watch over it',
    forms: [
      { args: '', about: 'what JARVIS changed, newest first, and what takes it back' },
      { args: 'keep ID', about: 'a change that would go back by itself stays' },
    ],
    options: { target: text('vm/101', 'of one target') },
    run: async (config, input) => (await import('../changes.ts')).changes(config, input),
  }),
  defineCommand({
    name: 'runbooks',
    group: 'Watch over it',
    forms: [
      { args: '[list]', about: 'the runbooks, their inputs, and what is wrong with them' },
      { args: 'run NAME [node=pve …]', about: 'as `run`' },
      { args: 'check FILE', about: 'every fault of a runbook with its line; exits 1 when there is one' },
    ],
    options: {
      url: text('URL', 'another JARVIS; takes its password'),
      wait: text('SECONDS', 'how long to wait for its end; 600 by default'),
    },
    run: async (config, input) => (await import('../runbooks.ts')).runbooks(config, input),
  }),
  defineCommand({
    name: 'agents',
    group: 'Watch over it',
    forms: [
      { args: '', about: 'the agents: what each may do, and its bindings' },
      { args: 'check [FILE]', about: 'every problem of an agents.yaml with its line; exits 1 when there is one' },
      { args: 'which', about: 'which agent would answer, and by which binding' },
    ],
    options: {
      door: text('DOOR', 'dashboard, mcp, job, channel or v1'),
      person: text('NAME', 'who asks'),
      token: text('NAME', 'the client’s token'),
      job: text('ID', 'the job'),
      channel: text('NAME', 'the channel'),
      account: text('NAME', 'the account there'),
      chat: text('ID', 'the chat there'),
    },
    run: async (config, input) => (await import('../agents.ts')).agents(config, input),
  }),
  defineCommand({
    name: 'skills',
    group: 'Watch over it',
    forms: [
      { args: '[list]', about: 'the skills, their state, faults and lines to look at' },
      { args: 'check FOLDER', about: 'the same of any folder; exits 1 where it cannot be approved' },
    ],
    options: {},
    run: async (config, input) => (await import('../skills.ts')).skills(config, input),
  }),
]
