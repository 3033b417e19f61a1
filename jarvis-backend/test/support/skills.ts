import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestJarvis } from './start-jarvis.ts'

export const skillText = (name: string, { description = `What ${name} is for.`, body = 'Do this.' } = {}) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`

/** Writes files of a skill into a data dir. Absent: a SKILL.md alone. @param owner the folder whose `skills` it lies in */
export function writeSkill(
  dataDir: string,
  name: string,
  files: Record<string, string | Buffer> = {},
  owner = 'workspace',
) {
  for (const [path, content] of Object.entries({ 'SKILL.md': skillText(name), ...files })) {
    const place = join(dataDir, owner, 'skills', name, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
  }
}

export const skillList = (jarvis: TestJarvis) => jarvis.as('operator').call('GET /api/skills')
export const skillTree = (jarvis: TestJarvis, name: string) =>
  jarvis.as('operator').call('GET /api/skills/:name', { params: { name } })
export const approve = (jarvis: TestJarvis, name: string, hash: string | null) =>
  jarvis.rest(`/api/skills/${name}/approve`, { method: 'POST', json: { hash } })

/** Approves what lies in its folder now. */
export async function approveNow(jarvis: TestJarvis, name: string) {
  const answer = await approve(jarvis, name, (await skillTree(jarvis, name)).hash)
  if (!answer.ok) throw new Error(await answer.text())
}
