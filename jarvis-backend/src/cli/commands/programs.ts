import { version } from '../../version.ts'
import { defineCommand, flag, text } from '../command.ts'
import { help } from '../help.ts'

export const programsCommands = [
  defineCommand({
    name: 'mcp',
    group: 'Programs',
    forms: [
      { args: '', about: 'MCP over stdio; starts a server where none runs' },
      { args: 'servers', about: 'the attached servers, their state and sign-ins; takes your password' },
      { args: 'sign-in NAME', about: 'prints the address where an owner signs JARVIS in to an attached server' },
      { args: 'sign-out NAME', about: 'ends that, and revokes the tokens' },
    ],
    options: { url: text('URL', 'of another server, after `jarvis login --url URL`') },
    opensSecrets: true,
    run: async (config, input) => (await import('../mcp.ts')).mcp(config, input),
  }),
  defineCommand({
    name: 'token',
    group: 'Programs',
    forms: [
      { args: 'create NAME', about: 'makes a token for a program; it is shown once and can never approve' },
      { args: 'list', about: 'names, doors, scope, rate, calls, last use' },
      { args: 'revoke NAME', about: 'the program is refused from now on' },
    ],
    options: {
      door: text('DOORS', 'mcp, v1, api, metrics, or several with commas'),
      scope: text(
        'SCOPE',
        'read, the default, or ask; with commas also memory:read, memory:write, agents:read, agents:write',
      ),
      rate: text('60', 'at most so many requests a minute'),
      expires: text('30d', 'after that it is refused'),
    },
    run: async (config, input) => (await import('../token.ts')).token(config, input),
  }),
  defineCommand({
    name: 'mcp-token',
    group: 'Programs',
    forms: [
      { args: 'create NAME', about: 'as token create --door mcp --scope ask' },
      { args: 'list', about: 'names, rights, last use' },
      { args: 'revoke NAME', about: 'the client is refused from now on' },
    ],
    options: { 'read-only': flag('it may only read'), expires: text('30d', 'after that it is refused') },
    run: async (config, input) => (await import('../token.ts')).mcpToken(config, input),
  }),
  defineCommand({
    name: 'login',
    group: 'Programs',
    forms: [
      {
        args: '',
        about: 'signs in to a JARVIS on another machine, with your password; keeps a token that can never decide',
      },
    ],
    options: { url: text('URL', 'of the server') },
    run: async (config, input) => (await import('../login.ts')).login(config, input),
  }),
  defineCommand({
    name: 'completion',
    group: 'Programs',
    forms: [{ args: 'bash|zsh|fish', about: 'what makes a shell complete commands' }],
    options: {},
    note: 'In `~/.bashrc`: `source <(jarvis completion bash)`. In `~/.zshrc`: `source <(jarvis completion zsh)`. For fish: `jarvis completion fish > ~/.config/fish/completions/jarvis.fish`.',
    async runEarly({ args, commands }) {
      const { completion } = await import('../completion.ts')
      completion(args, commands)
    },
  }),
  defineCommand({
    name: 'help',
    group: 'Programs',
    forms: [{ args: '[COMMAND]', about: 'this, or all of one command' }],
    options: {},
    runEarly: ({ args, commands }) => help(args, commands),
  }),
  defineCommand({
    name: 'version',
    group: 'Programs',
    forms: [{ args: '', about: 'the versions of JARVIS and of Node; so does `--version`' }],
    options: {},
    runEarly: () => console.log(`JARVIS ${version}, Node ${process.versions.node}`),
  }),
]
