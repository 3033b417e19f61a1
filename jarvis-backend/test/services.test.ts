import type { Shell } from 'homelab-ports/ports'
import type { Verdict } from 'protocol'
import { expect, test } from 'vitest'
import { calls, says, scripted } from './support/scripted-model.ts'
import { startJarvis, type TestJarvis } from './support/start-jarvis.ts'
import { calm, startProxmox } from './support/start-proxmox.ts'

const restart = (service: string) => calls(['restart_service', { node: 'pve', service }])
async function asked(jarvis: TestJarvis) {
  const operator = await jarvis.connect()
  const { sessionId } = await operator.ask('chat:send', { message: 'Restart it.' })
  const { toolUseId } = await operator.next('chat:confirm_needed')
  return { operator, answer: { sessionId, toolUseId, confirmed: true } }
}

test('a known service that runs is restarted at once, under its protected alias never', async () => {
  const env = { JARVIS_PROTECTED: 'service/chronyd' }
  const jarvis = await startJarvis({ env, model: scripted(restart('rsyslog'), restart('chrony'), says('So be it.')) })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Restart both.' })
  expect(await operator.next('chat:tool_use')).toMatchObject({ tier: 'yellow' })
  expect(await operator.next('chat:blocked')).toMatchObject({ reason: expect.stringContaining('is protected') })
  await operator.next('chat:done')
  expect(jarvis.controls.effects.map(({ detail }) => detail)).toEqual(['rsyslog@pve'])
})

test('a service that stopped since the card was shown gets a new card; the rest of the check is the node’s word', async () => {
  const jarvis = await startJarvis({ model: scripted(restart('tgt'), says('So be it.')) })
  jarvis.controls.setUnit('tgt', {})
  const { operator, answer } = await asked(jarvis)
  jarvis.controls.setUnit('tgt', { activeState: 'inactive', subState: 'dead' })
  expect(await operator.request('chat:confirm', answer)).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('The service is inactive now, not active.') },
  })
  expect(await operator.next('chat:confirm_needed')).toMatchObject({
    sentence: 'The service tgt on pve does not run and is started.',
  })
  expect(jarvis.controls.effects).toEqual([])
})

test('the effects of a restart are told without running it', async () => {
  const jarvis = await startJarvis()
  const tierOf = async (service: string) => {
    const json = { input: { node: 'pve', service } }
    const response = await jarvis.rest('/api/tools/restart_service/classify', { method: 'POST', json })
    return ((await response.json()) as Verdict).tier
  }
  jarvis.controls.setUnit('nginx', { activeState: 'inactive', subState: 'dead' })
  expect(await Promise.all(['pvestatd', 'nginx', 'networking'].map(tierOf))).toEqual(['yellow', 'red', 'red'])
})

const shown = `Type=notify
Names=mysql.service mariadb.service mysqld.service
Id=mariadb.service
LoadState=loaded
ActiveState=active
SubState=running
`
test.each<[string, string, Partial<{ stdout: string; stderr: string }> | Error, object]>([
  [
    'mysql',
    'systemd says',
    { stdout: shown },
    {
      id: 'mariadb',
      names: ['mariadb', 'mysql', 'mysqld'],
      type: 'notify',
      activeState: 'active',
      subState: 'running',
    },
  ],
  [
    'cron',
    'SSH fails, and the API knows',
    new Error('no key'),
    { id: 'cron', activeState: 'active', subState: 'running' },
  ],
])('what %s is, where %s', async (service, _, said, expected) => {
  const shell: Shell = {
    async run() {
      if (said instanceof Error) throw said
      return { stdout: '', stderr: '', exitCode: 0, truncated: false, ...said }
    },
  }
  const { cluster, read } = await startProxmox({}, () => ({ shell }))
  await read()
  expect(await cluster.unit('pve1', service, calm())).toMatchObject(expected)
})

test('where neither SSH nor the API says what a service is, its restart asks', async () => {
  const shell: Shell = { run: () => Promise.reject(new Error('JARVIS has no SSH key.')) }
  const { cluster, clock, read } = await startProxmox({}, () => ({ shell }))
  await read()
  const jarvis = await startJarvis({
    clock,
    model: scripted(calls(['restart_service', { node: 'pve2', service: 'nginx' }]), says('So be it.')),
    remote: {
      api: cluster.api,
      cluster,
      shell,
      waker: { wake: async () => ({ cameOnline: true, wasOnline: true, afterMs: 0 }) },
    },
  })
  const operator = await jarvis.connect()
  await operator.ask('chat:send', { message: 'Restart nginx on pve2.' })
  expect(await operator.next('chat:confirm_needed')).toMatchObject({
    rule: 'unproven_service',
    reason: expect.stringContaining('JARVIS has no SSH key'),
  })
})
