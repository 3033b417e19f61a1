import { systemClock } from 'node-kit/clock'
import { expect, test } from 'vitest'
import { createSimulator } from './index.ts'

const { shell } = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
const run = (...stages: string[][]) => shell.run('pve', stages, { signal: new AbortController().signal })

test.each([
  [['grep', '-c', '.lan'], '4\n'],
  [['grep', '-i', 'HOST$'], '127.0.0.1 localhost\n'],
  [['grep', '-ve', 'lan'], '127.0.0.1 localhost\n'],
  [['grep', '^10.*agent1$'], '10.0.4.13 agent1.lan agent1\n'],
  [['grep', 'nothing|local'], '127.0.0.1 localhost\n'],
  [['head', '-n1'], '127.0.0.1 localhost\n'],
  [['tail', '-2'], '10.0.4.13 agent1.lan agent1\n10.0.4.14 agent.lan agent\n'],
  [['wc', '-l'], '5\n'],
  [['cut', '-d', '.', '-f1'], '127\n10\n10\n10\n10\n'],
])('a file piped through %j', async (argv, stdout) => {
  expect(await run(['cat', '/etc/hosts'], argv)).toEqual({ stdout, stderr: '', exitCode: 0, truncated: false })
})

test('each program reads what the one before it printed, and the last one’s exit code counts', async () => {
  const sorted = await run(['cat', '/etc/hosts', '/nowhere'], ['cut', '-d', ' ', '-f2'], ['sort', '-r'], ['uniq', '-c'])
  expect(sorted).toMatchObject({ stderr: 'cat: /nowhere: No such file or directory\n', exitCode: 0 })
  expect(sorted.stdout.split('\n')[0]).toBe('      1 pve.lan')
  expect(await run(['uptime'], ['grep', 'nothing'])).toMatchObject({ stdout: '', exitCode: 1 })
  expect(await run(['uptime'], ['nope'])).toMatchObject({ stdout: '', exitCode: 127 })
})

test('disks are sorted by their size', async () => {
  const { stdout } = await run(['df', '-h'], ['tail', '-n', '+2'], ['sort', '-k2', '-hr'], ['tr', '-s', ' '])
  const sizes = stdout.split('\n').map((row) => row.split(' ')[1] ?? '')
  expect(sizes[0]).toMatch(/T$/)
})

test('the node’s own programs show what was changed in the cluster', async () => {
  const calm = () => ({ signal: new AbortController().signal })
  const lab = createSimulator({ clock: systemClock, protectedTargets: new Set(), speed: 1_000 })
  const on = async (...argv: string[]) => (await lab.shell.run('Home', [argv], calm())).stdout
  const before = await on('pct', 'config', '113')
  expect(before).toMatch(/^arch: .*\n(.*\n)*cores: 1\n(.*\n)*hostname: vaultwarden\n/)
  const path = ['nodes', 'Home', 'lxc', 113]
  await lab.api.change({ method: 'PUT', path: [...path, 'config'], form: { description: 'mine' } }, calm())
  expect(await on('pct', 'config', '113')).toContain('description: mine\n')
  expect(await on('zfs', 'list', '-t', 'snapshot')).not.toContain('@mine')
  await lab.api.change({ method: 'POST', path: [...path, 'snapshot'], form: { snapname: 'mine' } }, calm())
  await expect.poll(() => on('zfs', 'list', '-t', 'snapshot')).toContain('/subvol-113-disk-0@mine')
  lab.cluster.close()
})
