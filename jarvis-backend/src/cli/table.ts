/** One option. `value`: what it takes, in capitals; absent: it is a switch. */
type OptionSpec = { type: 'string' | 'boolean'; short?: string; multiple?: boolean; value?: string; about: string }
/** One way to write a command: what follows its name, as the help shows it, and what that does. */
type Form = { args: string; about: string }
type CommandSpec = {
  group: (typeof groups)[number]
  forms: readonly Form[]
  options: Record<string, OptionSpec>
  /** What is typed at a shell, after `jarvis`. */
  example?: string
  /** Words beside the forms, for the reference. */
  note?: string
}

export const groups = ['Talk', 'Look', 'Decide', 'Watch over it', 'Programs', 'Set up', 'Data'] as const

const text = (value: string, about: string) => ({ type: 'string', value, about }) as const
const flag = (about: string) => ({ type: 'boolean', about }) as const

const url = text('URL', 'another JARVIS, after `jarvis login --url URL`')
const json = flag('one JSON value on standard output, for programs')
const model = text('NAME/MODEL', 'answers in place of the model in use; `jarvis models` lists them')
const wait = text('10m', 'how long to wait for the end: 30s, 10m, 2h')
const where = { url, json }

/** Every command: the help, the completions and `docs/command-line.md` are made of it, and each command parses its options by it. */
export const table = {
  chat: {
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
  },
  ask: {
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
  },
  call: {
    group: 'Talk',
    forms: [{ args: 'TOOL [key=value …]', about: 'one call of a tool, through the gate as any other' }],
    options: {
      ...where,
      'dry-run': flag('only says what it would do'),
      wait,
      'no-wait': flag('ends with 3 as soon as a card waits'),
    },
    example: 'call get_node_status node=pve',
  },
  sessions: {
    group: 'Look',
    forms: [{ args: '[WORDS]', about: 'conversations, newest first; with words those in which they stand' }],
    options: where,
  },
  share: {
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
  },
  replay: {
    group: 'Look',
    forms: [{ args: 'SESSION', about: 'a conversation from its beginning, once the journal is verified' }],
    options: where,
  },
  children: {
    group: 'Look',
    forms: [{ args: 'SESSION', about: 'the work that its agents handed to others' }],
    options: where,
  },
  context: {
    group: 'Look',
    forms: [{ args: 'SESSION', about: 'what fills its model’s window, and what it cost' }],
    options: where,
  },
  checkpoints: {
    group: 'Look',
    forms: [{ args: 'SESSION [SEQ]', about: 'the messages one can go back to, or what going back to one takes back' }],
    options: where,
  },
  tools: {
    group: 'Look',
    forms: [{ args: '[WORD]', about: 'the tools and their tiers, or those with a word in them' }],
    options: where,
  },
  watch: {
    group: 'Look',
    forms: [{ args: '', about: 'calls, cards and events of all conversations as they happen' }],
    options: {
      url,
      since: text('09:13', 'begins earlier: a time of today, or a span such as 2h'),
      jsonl: flag('a line of JSON each'),
    },
  },
  logs: {
    group: 'Look',
    forms: [{ args: '', about: 'the newest lines of the server’s log; takes your password' }],
    options: { ...where, level: text('LEVEL', 'error, warn, info or debug') },
  },
  waiting: {
    group: 'Decide',
    forms: [{ args: '', about: 'the cards that wait for a person; exits 3 where there is one' }],
    options: where,
  },
  decide: {
    group: 'Decide',
    forms: [{ args: 'ID', about: 'shows a card in full and asks; your password decides, typed at a terminal' }],
    options: { url, sign: text('KEY', 'your SSH key that signs the approval, where the card must be signed') },
  },
  grants: {
    group: 'Decide',
    forms: [
      { args: '', about: 'what may run without a card for now: until when, how often, and who allowed it' },
      { args: 'revoke ID', about: 'such calls ask again; takes your password' },
    ],
    options: where,
  },
  questions: {
    group: 'Decide',
    forms: [{ args: '', about: 'the questions that wait for a person; exits 3 where there is one' }],
    options: where,
  },
  answer: {
    group: 'Decide',
    forms: [{ args: 'ID', about: 'answers a question at a terminal, with your password; it allows nothing' }],
    options: { url },
  },
  plan: {
    group: 'Decide',
    forms: [{ args: '[ID]', about: 'plans that began, newest first, or the steps of one' }],
    options: where,
  },
  run: {
    group: 'Decide',
    forms: [
      { args: 'RUNBOOK [node=pve …]', about: 'starts a runbook on the running server, and waits; it decides nothing' },
    ],
    options: {
      url: text('URL', 'another JARVIS; takes its password'),
      wait: text('SECONDS', 'how long to wait for its end; 600 by default'),
    },
  },
  jobs: {
    group: 'Watch over it',
    forms: [
      { args: '', about: 'what runs by itself: next time, last outcome' },
      { args: 'pause ID', about: 'one of them rests' },
      { args: 'resume ID', about: 'it goes on' },
      { args: 'stop', about: 'all of them rest' },
      { args: 'start', about: 'all of them go on' },
    ],
    options: {},
  },
  budgets: {
    group: 'Watch over it',
    forms: [
      { args: '', about: 'what models used today and may use' },
      { args: 'set PART UNIT NUMBER|none', about: 'sets a limit, as in: budgets set day usd 5' },
    ],
    options: {},
  },
  alerts: {
    group: 'Watch over it',
    forms: [{ args: '', about: 'what the checks found wrong, or what ended' }],
    options: {
      ...where,
      ended: flag('those that ended'),
      silenced: flag('every silence that holds, also of what has ended'),
    },
  },
  checks: {
    group: 'Watch over it',
    forms: [{ args: '', about: 'what is looked at, when, and what could not be seen' }],
    options: {},
  },
  workbench: {
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
  },
  windows: {
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
  },
  channels: {
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
  },
  changes: {
    group: 'Watch over it',
    forms: [
      { args: '', about: 'what JARVIS changed, newest first, and what takes it back' },
      { args: 'keep ID', about: 'a change that would go back by itself stays' },
    ],
    options: { target: text('vm/101', 'of one target') },
  },
  runbooks: {
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
  },
  agents: {
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
  },
  skills: {
    group: 'Watch over it',
    forms: [
      { args: '[list]', about: 'the skills, their state, faults and lines to look at' },
      { args: 'check FOLDER', about: 'the same of any folder; exits 1 where it cannot be approved' },
    ],
    options: {},
  },
  mcp: {
    group: 'Programs',
    forms: [
      { args: '', about: 'MCP over stdio; starts a server where none runs' },
      { args: 'servers', about: 'the attached servers, their state and sign-ins; takes your password' },
      { args: 'sign-in NAME', about: 'prints the address where an owner signs JARVIS in to an attached server' },
      { args: 'sign-out NAME', about: 'ends that, and revokes the tokens' },
    ],
    options: { url: text('URL', 'of another server, after `jarvis login --url URL`') },
  },
  token: {
    group: 'Programs',
    forms: [
      { args: 'create NAME', about: 'makes a token for a program; it is shown once and can never approve' },
      { args: 'list', about: 'names, doors, scope, rate, calls, last use' },
      { args: 'revoke NAME', about: 'the program is refused from now on' },
    ],
    options: {
      door: text('DOORS', 'mcp, v1, api, metrics, or several with commas'),
      scope: text('SCOPE', 'read, the default, or ask'),
      rate: text('60', 'at most so many requests a minute'),
      expires: text('30d', 'after that it is refused'),
    },
  },
  'mcp-token': {
    group: 'Programs',
    forms: [
      { args: 'create NAME', about: 'as token create --door mcp --scope ask' },
      { args: 'list', about: 'names, rights, last use' },
      { args: 'revoke NAME', about: 'the client is refused from now on' },
    ],
    options: { 'read-only': flag('it may only read'), expires: text('30d', 'after that it is refused') },
  },
  login: {
    group: 'Programs',
    forms: [
      {
        args: '',
        about: 'signs in to a JARVIS on another machine, with your password; keeps a token that can never decide',
      },
    ],
    options: { url: text('URL', 'of the server') },
  },
  completion: {
    group: 'Programs',
    forms: [{ args: 'bash|zsh|fish', about: 'what makes a shell complete commands' }],
    options: {},
    note: 'In `~/.bashrc`: `source <(jarvis completion bash)`. In `~/.zshrc`: `source <(jarvis completion zsh)`. For fish: `jarvis completion fish > ~/.config/fish/completions/jarvis.fish`.',
  },
  help: {
    group: 'Programs',
    forms: [{ args: '[COMMAND]', about: 'this, or all of one command' }],
    options: {},
  },
  setup: {
    group: 'Set up',
    forms: [{ args: '', about: 'connects your cluster: asks, tests, writes .env; `setup --help` says what it takes' }],
    options: {},
  },
  models: {
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
  },
  doctor: {
    group: 'Set up',
    forms: [{ args: '', about: 'checks everything and says what to do; exits 1 when something is broken' }],
    options: { json, 'no-model': flag('the model is not asked') },
  },
  profile: {
    group: 'Set up',
    forms: [{ args: '[NAME]', about: 'how much is asked: lockdown, restricted, balanced, permissive, unrestricted' }],
    options: {},
  },
  roles: {
    group: 'Set up',
    forms: [
      { args: '', about: 'the roles, and what each may' },
      {
        args: 'try PERSON TOOL [vmid=101 …]',
        about: 'what the call would get if that person asked for it; runs nothing',
      },
    ],
    options: { role: text('NAME', 'somebody of that role, in place of PERSON'), ...where },
  },
  user: {
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
  },
  signers: {
    group: 'Set up',
    forms: [
      { args: '[list]', about: 'your SSH keys that sign decisions; takes your password' },
      { args: 'add FILE.pub', about: 'enrols a key; beside others it takes --sign' },
      { args: 'remove FINGERPRINT', about: 'it decides no more' },
    ],
    options: { url, sign: text('KEY', 'the file of an older key of yours, which signs the new one') },
    example: 'signers add ~/.ssh/id_ed25519.pub',
  },
  policy: {
    group: 'Set up',
    forms: [
      { args: 'check [FILE]', about: 'every problem of a policy.yaml with its line, or what it changes' },
      { args: 'replay [FILE]', about: 'which calls of the journal it would have judged differently' },
      { args: 'print', about: 'what is in force, with all that is shipped' },
    ],
    options: { since: text('7d', 'how far back to replay') },
  },
  journal: {
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
  },
  secrets: {
    group: 'Data',
    forms: [
      { args: '[status]', about: 'which secrets are sealed, and where the key is; exits 1 where one is not' },
      { args: 'rotate', about: 'a new key, while the server runs; the old one goes once all was opened with the new' },
      { args: 'forget', about: 'sets aside what no key here opens, so that it can be entered again' },
    ],
    options: { json },
    example: 'secrets status',
  },
  backup: {
    group: 'Data',
    forms: [{ args: 'FILE', about: 'the whole database in one file, while the server runs' }],
    options: { force: flag('overwrites FILE') },
  },
  restore: {
    group: 'Data',
    forms: [{ args: 'FILE', about: 'puts a backup in its place; the server must be stopped' }],
    options: {
      force: flag('also where its journal is broken'),
      unproven: flag('also where nothing proves that JARVIS made it so'),
      'backup-rules': flag('takes policy.yaml and agents.yaml of the backup, too'),
      yes: flag('asks nothing; without a terminal, a restore needs it'),
    },
  },
} as const satisfies Record<string, CommandSpec>

export type CommandName = keyof typeof table
export const commandNames = Object.keys(table) as CommandName[]
/** The same without what each has of its own. */
export const commandOf = (name: CommandName): CommandSpec => table[name]
export const isCommand = (name: string): name is CommandName => Object.hasOwn(table, name)

/** What the process ends with. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usedWrongly: 2,
  waits: 3,
  refused: 4,
  modelFailed: 5,
  interrupted: 130,
} as const
export const exitWords: readonly (readonly [number, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed'],
  [exitCodes.usedWrongly, 'used wrongly'],
  [exitCodes.waits, 'a person is waited for'],
  [exitCodes.refused, 'denied, expired or black'],
  [exitCodes.modelFailed, 'the model failed'],
  [exitCodes.interrupted, 'Ctrl-C'],
]
