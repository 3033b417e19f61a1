import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DoctorReply } from 'protocol'
import { expect, test } from 'vitest'
import { readStartConfig } from '../src/config/settings-file.ts'
import { folder } from './support/data-dir.ts'
import { startJarvis } from './support/start-jarvis.ts'

const garbage = '\u{feff}{{{ [ : nothing\u0000 that anybody\n\twrote = on purpose: ]'

const files = [
  'agents.yaml',
  'checks.yaml',
  'mcp.json',
  'models.json',
  'prices.json',
  'settings.env',
  'workspace/SOUL.md',
  'workspace/MEMORY.md',
  'workspace/skills/odd/SKILL.md',
  'workspace/runbooks/odd.md',
  'agents/odd',
]

const damages = files.flatMap((file) => [[file, 'garbage'] as const, [file, 'a folder'] as const])

test.each(damages.filter(([file, what]) => file !== 'settings.env' || what === 'garbage'))(
  '%s that is %s does not stop the start, and stays as it is',
  async (file, what) => {
    const dataDir = folder()
    const path = join(dataDir, file)
    mkdirSync(dirname(path), { recursive: true })
    if (what === 'garbage') writeFileSync(path, garbage)
    else mkdirSync(path)
    const jarvis = await startJarvis({ dataDir, fromFiles: true, env: { JARVIS_EMBEDDINGS: 'none' } })
    expect((await jarvis.rest('/api/status')).status).toBe(200)
    expect((await jarvis.rest('/api/models')).status).toBe(file === 'models.json' ? 409 : 200)
    for (const place of ['agents', 'skills', 'runbooks', 'mcp-servers', 'checks', 'channels', 'doctor'])
      expect([place, (await jarvis.rest(`/api/${place}`)).status < 500]).toEqual([place, true])
    if (what === 'garbage') expect(readFileSync(path, 'utf8')).toBe(garbage)
    else expect(existsSync(path)).toBe(true)
  },
)

test('a saved setting that cannot be used is left out with its group, and said', async () => {
  const dataDir = folder()
  const text = [
    'OPENAI_API_KEY=sk-test-0123456789',
    'OPENAI_BASE_URL=gpu.lan/v1',
    'JARVIS_EMBEDDINGS=nonsense',
    'ANTHROPIC_API_KEY=sk-ant-0123456789',
  ].join('\n')
  writeFileSync(join(dataDir, 'settings.env'), text)
  const jarvis = await startJarvis({ dataDir, fromFiles: true })
  const config = readStartConfig({ JARVIS_DATA_DIR: dataDir })
  expect(config.settingsProblems).toEqual([
    expect.stringMatching(/^OPENAI_BASE_URL must be a URL .* in settings\.env of the data dir\. It is not used\.$/),
    expect.stringMatching(/^JARVIS_EMBEDDINGS must be local/),
  ])
  // Neither does the key go to another address, nor what is said to a model that nobody chose.
  expect(config.secrets).not.toContain('sk-test-0123456789')
  expect(config.model).toEqual({ provider: 'demo', kind: 'demo' })
  const { checks } = (await (await jarvis.rest('/api/doctor')).json()) as DoctorReply
  expect(checks.filter(({ area }) => area === 'Configuration').map(({ health }) => health)).toEqual(['bad', 'bad'])
  expect(readFileSync(join(dataDir, 'settings.env'), 'utf8')).toContain(
    'OPENAI_BASE_URL=gpu.lan/v1\nJARVIS_EMBEDDINGS=nonsense\n',
  )
})

test.each(['PVE_URL=nonsense://x', 'JARVIS_PROTECTED=all of it'])(
  'a start does not go on without %s, by which another cluster or less would be protected',
  (line) => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'settings.env'), line)
    expect(() => readStartConfig({ JARVIS_DATA_DIR: dataDir })).toThrow(/saved by the dashboard, in settings\.env/)
  },
)
