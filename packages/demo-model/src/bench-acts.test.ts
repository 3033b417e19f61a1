import type { ClusterState } from 'protocol'
import { expect, test } from 'vitest'
import { changedKey, fileIn, replacedText } from './inquiries/file-change.ts'
import { rehearsed } from './inquiries/rehearsed.ts'
import { type Outcome, seenIn } from './seen.ts'
import { understand } from './understand.ts'

const cluster: ClusterState = {
  name: 'lab',
  isDemo: true,
  at: 0,
  storages: [],
  tasks: [],
  isQuorate: true,
  missing: [],
  nodes: [{ name: 'pve', status: 'online', isProtected: false }],
  guests: [],
}
const called = (message: string) => {
  const { calls, inquiries = [] } = understand(message, cluster, [])
  const [first = { toolName: 'none', toolInput: {} }] = [
    ...calls,
    ...inquiries.flatMap((inquiry) => {
      const step = inquiry.find(seenIn([]))
      return 'reads' in step ? step.reads : []
    }),
  ]
  return `${first.toolName} ${JSON.stringify(first.toolInput)}`
}

test.each([
  ['which files are there?', 'read_file {}'],
  ['show me compose/jellyfin.yml', 'read_file {"path":"compose/jellyfin.yml"}'],
  ['Please read the file `compose/caddy/Caddyfile`.', 'read_file {"path":"compose/caddy/Caddyfile"}'],
  ['what is in logs/jellyfin.log?', 'read_file {"path":"logs/jellyfin.log"}'],
  ['list the files in compose', 'glob_files {"path":"compose","pattern":"**"}'],
  ['grep ERROR in logs', 'grep_files {"pattern":"ERROR","path":"logs","ignoreCase":true}'],
  ['search for “8096” in compose', 'grep_files {"pattern":"8096","path":"compose","ignoreCase":true}'],
  ['change the port in compose/jellyfin.yml to 8097', 'read_file {"path":"compose/jellyfin.yml"}'],
  ['replace “8096” with “8097” in compose/jellyfin.yml', 'read_file {"path":"compose/jellyfin.yml"}'],
  ['write “buy disks” to session/notes.txt', 'write_file {"path":"session/notes.txt","content":"buy disks\\n"}'],
  ['run “ls -l” in the sandbox', 'run_command {"command":"ls -l"}'],
  [
    'run “grep -c ERROR jellyfin.log” in the sandbox over logs',
    'run_command {"command":"grep -c ERROR jellyfin.log","folder":"logs"}',
  ],
  ['git log of compose', 'read_git {"repo":"compose","what":"log"}'],
  ['show the git status of compose', 'read_git {"repo":"compose","what":"status"}'],
  [
    'commit jellyfin.yml in compose as “Move Jellyfin”',
    'commit_files {"repo":"compose","paths":["jellyfin.yml"],"message":"Move Jellyfin"}',
  ],
  ['open https://example.org/a', 'web_fetch {"url":"https://example.org/a"}'],
  ['open example.org and tell me what it says', 'web_fetch {"url":"https://example.org"}'],
  ['What does opnsense.example say?', 'web_fetch {"url":"https://opnsense.example"}'],
  ['visit the page example.org:8443 in the browser', 'open_page {"url":"https://example.org:8443"}'],
  [
    'open http://example.org/a?b=c with the browser, then summarize it.',
    'open_page {"url":"http://example.org/a?b=c"}',
  ],
  ['search the web for the latest jellyfin release', 'web_search {"query":"latest jellyfin release"}'],
  ['look up “ZFS scrub” on the internet', 'web_search {"query":"ZFS scrub"}'],
  ['do a web search for caddy', 'web_search {"query":"caddy"}'],
  ['what does the page say?', 'get_page_text {}'],
  ['take a screenshot of the page', 'take_screenshot {}'],
  ['click on “Sign in”', 'read_page {"find":"Sign in"}'],
  ['which containers run in docker?', 'list_docker_containers {}'],
  ['docker ps', 'list_docker_containers {}'],
  ['list my docker containers', 'list_docker_containers {}'],
  ['docker logs jellyfin', 'get_docker_logs {"container":"jellyfin","lines":50}'],
  ['show me the log of the docker container jellyfin', 'get_docker_logs {"container":"jellyfin","lines":50}'],
  ['how is the docker container jellyfin doing?', 'inspect_docker_container {"container":"jellyfin"}'],
  ['restart jellyfin in docker', 'control_docker_container {"container":"jellyfin","act":"restart"}'],
  ['Stop the docker container “jellyfin”', 'control_docker_container {"container":"jellyfin","act":"stop"}'],
  [
    'run “ls -l /config” in the docker container jellyfin',
    'run_in_docker_container {"container":"jellyfin","command":["ls","-l","/config"]}',
  ],
  // A file is no site, and a guest no Docker container.
  ['open notes.txt', 'read_file {}'],
  // What is about the cluster stays so.
  ['run “df -h” on pve', 'execute_ssh {"node":"pve","command":"df -h"}'],
])('%s → %s', (message, call) => {
  expect(called(message)).toBe(call)
})

const compose = [
  'services:',
  '  jellyfin:',
  '    ports:',
  '      - "8096:8096"',
  '    restart: no # for now',
  '    a: x',
  '    b: x',
]
const text = `compose/j.yml, 90 bytes, mode 644, hash 0123456789abcdef, 7 lines\n${compose.map((line, at) => `${at + 1} ${line}`).join('\n')}`
const looked = (inquiry: ReturnType<typeof changedKey>, said = text) => {
  const outcome: Outcome = {
    toolName: 'read_file',
    toolInput: { path: 'compose/j.yml' },
    text: said,
    isError: false,
    round: 0,
  }
  return inquiry.find({ all: [outcome], of: () => outcome, text: () => said })
}

test.each([
  [changedKey('compose/j.yml', 'port', '8097'), '- "8096:8096"', '- "8097:8096"'],
  [changedKey('compose/j.yml', 'restart', 'always'), 'restart: no # for now', 'restart: always # for now'],
  [replacedText('compose/j.yml', '8096:8096', '$& $1'), '- "8096:8096"', '- "$& $1"'],
  [changedKey('compose/j.yml', 'b', 'y'), 'b: x', 'b: y'],
])('a change is an exact edit of one line, bound to the hash that was read', (inquiry, oldText, newText) => {
  expect(looked(inquiry)).toMatchObject({
    act: {
      toolName: 'edit_file',
      toolInput: { path: 'compose/j.yml', hash: '0123456789abcdef', edits: [{ oldText, newText }] },
    },
  })
})

test('a line that stands there twice is named by the lines around it', () => {
  const twice = ['a:', '  port: 1', 'b:', '  x: 2', '  port: 1']
  const said = `compose/j.yml, 9 bytes, mode 644, hash 0123456789abcdef, 5 lines\n${twice.map((line, at) => `${at + 1} ${line}`).join('\n')}`
  expect(looked(changedKey('compose/j.yml', 'x', '3'), said)).toMatchObject({ act: { toolName: 'edit_file' } })
  expect(looked(changedKey('compose/j.yml', 'port', '2'), said)).toMatchObject({
    say: expect.stringContaining('2 lines'),
  })
  expect(looked(replacedText('compose/j.yml', 'nothing', 'b'), said)).not.toHaveProperty('act')
})

test('lines are read as they stand, empty ones too', () => {
  expect(fileIn('a/b, 3 bytes, mode 644, hash 0123456789ab, 3 lines\n1 a\n2 \n3   b')?.lines).toEqual(['a', '', '  b'])
  expect(fileIn('There is no a/b.')).toBeUndefined()
})

test('what a command would change is asked for, and a command that changes nothing asks for nothing', () => {
  const run = { toolName: 'run_command', toolInput: { command: 'x', folder: 'compose' }, isError: false, round: 0 }
  const found = (said: string) => {
    const outcome = { ...run, text: said }
    return rehearsed('x', 'compose').find({ all: [outcome], of: () => outcome, text: () => said })
  }
  expect(
    found(
      'cmd_1: ended with 0, it would change 1 file.\napply_changes with command cmd_1 asks for that.\noutput:\nout',
    ),
  ).toMatchObject({ act: { toolName: 'apply_changes', toolInput: { command: 'cmd_1' } } })
  expect(found('cmd_1: ended with 0, it changed nothing.\noutput:\nout')).toEqual({
    say: 'It ran once, in the sandbox: ended with 0, it changed nothing.\n\n```\nout\n```',
  })
})
