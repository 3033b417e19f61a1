import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'

const ssh = (command: string) => calls(['execute_ssh', { node: 'pve', command }])
const send = async (jarvis: TestJarvis) => {
  const operator = await jarvis.connect()
  return { operator, ...(await operator.ask('chat:send', { message: 'Have a look.' })) }
}

test('a pipe of reading programs runs without a question, and its output comes back', async () => {
  const jarvis = await startJarvis({ model: scripted(ssh('cat /etc/hosts | grep -v local | wc -l'), says('Four.')) })
  const { operator } = await send(jarvis)
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false, result: 'Exit code 0.\nstdout:\n4' })
  await operator.next('chat:done')
  expect(operator.names()).not.toContain('chat:confirm_needed')
  expect(jarvis.controls.effects.map(({ detail }) => detail)).toEqual([
    'pve: cat /etc/hosts',
    'pve: grep -v local | wc -l',
  ])
})

test('a bounded change waits for a person, who reads what it does', async () => {
  const jarvis = await startJarvis({ model: scripted(ssh('systemctl restart nginx'), says('Restarted.')) })
  const { operator, sessionId } = await send(jarvis)
  const card = await operator.next('chat:confirm_needed')
  expect(card).toMatchObject({
    toolName: 'execute_ssh',
    tier: 'red',
    reason: 'It restarts nginx, which is away for some seconds.',
  })
  expect(jarvis.controls.effects).toEqual([])
  await operator.ask('chat:confirm', { sessionId, toolUseId: card.toolUseId, confirmed: true })
  expect(await operator.next('chat:tool_result')).toMatchObject({ isError: false })
  expect(jarvis.controls.effects).toMatchObject([{ kind: 'command', detail: 'pve: systemctl restart nginx' }])
})

test('a denied change runs nothing', async () => {
  const jarvis = await startJarvis({ model: scripted(ssh('apt update'), says('So be it.')) })
  const { operator, sessionId } = await send(jarvis)
  const { toolUseId } = await operator.next('chat:confirm_needed')
  await operator.ask('chat:confirm', { sessionId, toolUseId, confirmed: false })
  await operator.next('chat:done')
  expect(jarvis.controls.effects).toEqual([])
})

test.each([
  ['systemctl restart nginx', 'black', 'protected_service'],
  ['systemctl stop NGINX.service', 'black', 'protected_service'],
  ['systemctl disable --now nginx@blue', 'black', 'protected_service'],
  ['docker restart nginx', 'black', 'protected_service'],
  ['systemctl restart postfix', 'red', 'ssh_change'],
  ['systemctl status nginx', 'yellow', 'base'],
  ['systemctl stop pve-container@104', 'black', 'not_read_only'],
  ['systemctl stop pveproxy', 'black', 'not_read_only'],
  ['zpool scrub tank', 'red', 'ssh_change'],
  ['zpool destroy tank', 'black', 'not_read_only'],
  ['ps aux | tee /tmp/x', 'black', 'not_read_only'],
])('with nginx protected, %s is %s by %s', async (command, tier, rule) => {
  const jarvis = await startJarvis({ env: { JARVIS_PROTECTED: 'service/nginx' } })
  const response = await jarvis.rest('/api/tools/execute_ssh/classify', {
    method: 'POST',
    json: { input: { node: 'pve', command } },
  })
  expect(await response.json()).toMatchObject({ tier, rule })
})
