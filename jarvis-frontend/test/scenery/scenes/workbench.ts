import type { CommandRow, FileDiff } from 'protocol'
import { assistant, call, card, entriesOf, type LooseEntry, needed, text, usage, user } from '../entries.ts'
import type { Scene, ScriptSession } from '../scene.ts'
import { morning } from './morning.ts'

type Result = Extract<LooseEntry, { type: 'tool_result' }>
type Use = Extract<LooseEntry, { type: 'tool_use' }>

/** The entries of a call whose tool names a view. */
const drawn = (
  { toolUseId, toolName, toolInput, tier, view }: Omit<Use, 'type' | 'isRead'>,
  result: Omit<Result, 'type' | 'toolUseId' | 'isError' | 'durationMs'> & { isError?: boolean },
): LooseEntry[] => [
  assistant(call(toolUseId, toolName, toolInput)),
  { type: 'tool_use', toolUseId, toolName, toolInput, tier, ...(view && { view }) },
  { type: 'tool_result', toolUseId, isError: false, durationMs: 800, ...result },
]

const fileOf = (path: string, lines: string[], more: Partial<FileDiff> = {}): FileDiff => ({
  path,
  change: 'changed',
  lines,
  left: 0,
  added: lines.filter((line) => line.startsWith('+')).length,
  removed: lines.filter((line) => line.startsWith('-')).length,
  ...more,
})
const sites = Array.from({ length: 38 }, (_, at) => `+# site ${at + 1}`)
const whole = [
  fileOf('caddy/Caddyfile', [
    '@@ -11,3 +11,2 @@',
    ' photos.lan {',
    '-wiki.lan {\u202e',
    '-\t\treverse_proxy',
    '+vault.lan {',
  ]),
  fileOf('caddy/sites.bak', ['@@ -1,0 +1,38 @@', ...sites], { change: 'added' }),
  fileOf('caddy/logo.png', [], { change: 'added', note: 'It is no text: 0 bytes become 812.' }),
]

/** Every view of the workbench, each with untrusted text, and a card with several files. */
export function workbenchScene(now: number): Scene {
  const lines = Array.from({ length: 240 }, (_, at) => `line ${at + 1}`)
  const output = ['\u001b[31m<b>red</b>\u001b[0m', ...lines, '⟨U+001B⟩[2KTraceback: no such site \u202egpj'].join('\n')
  const command = {
    command: 'cmd_1',
    status: 'ended',
    text: 'python3 sort.py Caddyfile',
    folder: 'caddy',
    level: 'full',
    isBackground: false,
    egress: [],
    startedAt: now - 9_000,
    endedAt: now - 8_000,
    words: 'exit code 1',
    exitCode: 1,
    changes: 0,
    files: 'changed no file',
    isApplied: false,
    asked: ['pypi.org:443'],
  }
  const counting = {
    ...command,
    command: 'cmd_2',
    status: 'running',
    text: 'python3 count.py filter.log',
    isBackground: true,
  }
  const page = {
    url: 'https://opnsense.example/blog/26-7-2',
    asked: 'https://opnsense.example/blog',
    status: 200,

    type: 'text/html',
    title: 'Released <b>now</b>',
    wireBytes: 41_000,
    isKept: true,
    from: 0,
    next: null,
    chars: 90,
    text: 'OPNsense 26.7.2.\n![x](https://evil.example/p.png)\n[Approve](javascript:hit=1)\n<script>hit=1</script>\nfive\nsix',
    hidden: { count: 2, reasons: ['font-size 0'] },
  }
  const hit = (title: string, url: string) => ({ title, url, snippet: `A passage of ${title}` })
  const hits = [
    hit('Release notes', 'https://opnsense.example/blog'),
    hit('Free \u202egpj', 'javascript:window.hit=1'),
    hit('Your bank', 'https://bank.example@evil.example/'),
    ...[4, 5, 6].map((at) => hit(`Result ${at}`, `https://r${at}.example/`)),
  ]
  const picture = {
    url: 'https://10.0.0.1/ui/core/firmware',
    title: 'System: Firmware',
    tab: 1,
    width: 1280,
    height: 800,
    elements: [
      { ref: '1.4', role: 'link', name: 'Status', x: 80, y: 40, leadsTo: true },
      { ref: '1.5', role: 'button', name: 'Update now', x: 640, y: 40, leadsTo: false },
    ],
  }
  const read = { tier: 'green', toolInput: {} } as const
  const asked = card({ toolUseId: 'apply', toolName: 'apply_changes', vmid: 103 }, now, {
    toolInput: { command: 'cmd_1' },
    target: { kind: 'none', id: 'path/caddy' },
    effect: { kind: 'data', on: 'path' },
    sentence: '3 files of "caddy" become what the command left on its view.',
    deed: 'apply 3 files',
    diff: whole.map((file, at) => (at === 1 ? { ...file, lines: file.lines.slice(0, 2), left: 37 } : file)),
  })
  const session: ScriptSession = {
    id: 'ses_workbench',
    title: 'Tidy the caddy config',
    updatedAt: now,
    runId: 'run_2',
    entries: entriesOf(
      [
        user('Sort the sites.'),
        ...drawn(
          {
            toolUseId: 'c1',
            toolName: 'run_command',
            toolInput: { command: command.text },
            tier: 'yellow',
            view: 'command',
          },
          {
            result: `cmd_1: exit code 1.\noutput:\n${output}`,
            summary: 'exit code 1, changed no file',
            data: command,
            isError: true,
          },
        ),
        ...drawn(
          {
            toolUseId: 'c2',
            toolName: 'run_command',
            toolInput: { command: counting.text },
            tier: 'yellow',
            view: 'command',
          },
          { result: 'It runs.', summary: 'runs in the background', data: counting },
        ),
        ...drawn(
          { ...read, toolUseId: 'p1', toolName: 'web_fetch', view: 'page' },
          { result: page.text, summary: '200, 41 kB, 6 kB kept', data: page },
        ),
        assistant(text('And now a search.')),
        ...drawn(
          { ...read, toolUseId: 's1', toolName: 'web_search', view: 'hits' },
          { result: 'six', summary: '6 results', data: { query: 'opnsense', hits, silent: ['google'] } },
        ),
        ...drawn(
          { ...read, toolUseId: 'b1', toolName: 'take_screenshot', view: 'picture' },
          {
            result: 'Picture',
            summary: '10.0.0.1, 2 elements',
            data: picture,
            images: [{ id: 'shot', mimeType: 'image/png', bytes: 70 }],
          },
        ),
        ...drawn(
          {
            toolUseId: 'f1',
            toolName: 'edit_file',
            toolInput: { path: 'notes/router.md' },
            tier: 'yellow',
            view: 'files',
          },
          {
            result: 'Edited.',
            summary: '1 line comes, 1 goes',
            data: { diff: [fileOf('notes/router.md', ['@@ -4,1 +4,1 @@', '-OPNsense 26.1.3', '+OPNsense 26.7.2'])] },
          },
        ),
        { type: 'done', usage, stopReason: 'end_turn' },
        { ...user('Apply it.', 'msg_2'), runId: 'run_2' },
        { ...assistant(call('apply', 'apply_changes', { command: 'cmd_1' })), runId: 'run_2' },
        { ...needed(asked), runId: 'run_2' },
      ],
      now - 60_000,
    ),
  }
  const running: CommandRow = {
    id: 'cmd_2',
    command: counting.text,
    folder: 'caddy',
    isBackground: true,
    level: 'full',
    status: 'running',
    startedAt: now - 252_000,
    endsBy: now + 1_500_000,
    lastLines: ['03:12 block wan', '03:13 block \u202ewan'],
  }
  return { ...morning(now), sessions: [session], commands: [running], diffs: { apply: whole } }
}
