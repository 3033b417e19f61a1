import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dashboardDir } from './browser.ts'
import { calls, says, scripted } from './scripted-model.ts'
import { startJarvis, type TestJarvis } from './start-jarvis.ts'

const table = '| guest | why |\n|---|---|\n| 103 truenas | full |\n\n```sh\nzpool list\n```'

/** The part of a page that appears last. */
type Shown = { path: string; seen: string }

/** A server with something on every page: a talk with a card that waits, a refusal, a memory, a token, a shell. */
export async function lively(
  options: Pick<NonNullable<Parameters<typeof startJarvis>[0]>, 'atEnd'> = {},
): Promise<{ jarvis: TestJarvis; pages: Shown[]; chat: Shown }> {
  const model = scripted(
    calls(['get_cluster_status', {}], ['execute_ssh', { node: 'pve', command: 'rm -rf /' }]),
    says(table),
    calls(['stop_vm', { vmid: 103 }]),
  )
  const env = { JARVIS_EMBEDDINGS: 'none', JARVIS_TERMINAL: '1' }
  const jarvis = await startJarvis({ dashboardDir, model, env, ...options })
  mkdirSync(join(jarvis.dataDir, 'workspace'), { recursive: true })
  writeFileSync(join(jarvis.dataDir, 'workspace/MEMORY.md'), '# Media\n\nThe transcoder needs the GPU of pve.\n')
  await jarvis.rest('/api/mcp-tokens', { method: 'POST', json: { name: 'ops-laptop' } })
  const screen = await jarvis.connect()
  const { sessionId } = await screen.ask('chat:send', { message: 'Look around.' })
  await screen.next('chat:done')
  await screen.ask('chat:send', { sessionId, message: 'Stop truenas.' })
  const { toolUseId } = await screen.next('chat:confirm_needed')
  const chat = { path: `/chat/${sessionId}`, seen: 'Stop VM 103' }
  const rest = Object.entries({
    '/': 'Waiting for you',
    '/cluster': 'truenas',
    [`/waiting?card=${toolUseId}`]: 'Stop VM 103',
    '/alerts': 'Firing',
    '/automations': 'A job has no rights of its own',
    '/automations/runbooks': 'Runbooks',
    '/automations/windows': 'Maintenance windows',
    '/journal': 'get_cluster_status',
    '/sessions': 'Look around.',
    '/agents': 'Which agent would answer?',
    '/agents/skills': 'disk-health',
    '/agents/skills/disk-health': 'Approve this tree',
    '/agents/tools?tool=execute_ssh': 'a command not proven to read',
    '/agents/memory?file=MEMORY.md': 'needs the GPU',
    '/settings': 'Models',
    '/settings/models': 'What answers you.',
    '/settings/nodes': 'What each node is for, in a few words.',
    '/settings/ssh': 'Temperatures, services and commands',
    '/settings/people': 'Your devices',
    '/settings/tokens': 'For programs.',
    '/settings/channels': 'Where JARVIS reaches you',
    '/settings/mcp-servers': 'Their tools pass the same gate',
    '/settings/budgets': 'Before each call of a model',
    '/settings/safety': 'How much is asked before something is changed.',
    '/settings/policy': 'nothing may change these',
    '/settings/workbench': 'of the machine that JARVIS runs on',
    '/settings/persona': 'Four texts that every prompt begins with',
    '/settings/in-force': 'A secret is never shown.',
    '/settings/backups': 'A backup has the database',
    '/settings/notifications': 'how many things wait',
    '/settings/display': 'Compact',
    '/system': 'the database takes',
    '/system/feedback': 'It stays on this machine',
    '/system/terminal': 'JARVIS does not guard this.',
    '/more': 'Settings',
  }).map(([path, seen]) => ({ path, seen }))
  return { jarvis, pages: [chat, ...rest], chat }
}

export const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } }

/** Buttons that do something, of which a viewer is offered none. */
export const acts =
  /^(?:Approve|Deny|Allow|Stop|Send|Queue|Revoke|Rename|Delete|New |Run |Restart|Ask |Save|Make|Add|Attach|Talk|Write|Open a shell)/
