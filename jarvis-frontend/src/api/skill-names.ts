import { readAgents } from './agents.ts'
import { listSkills } from './skills.ts'

const isFor = (patterns: readonly string[] | undefined, name: string) =>
  patterns?.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name)) ?? true

/** The enabled skills that a line to an agent can begin with: its own, and those of the workspace that its entry names. */
export async function skillNames(agent = 'main'): Promise<{ name: string; description: string }[]> {
  const [shared, own, { items }] = await Promise.all([
    listSkills(),
    agent === 'main' ? undefined : listSkills(agent),
    readAgents(),
  ])
  const patterns = items.find(({ id }) => id === agent)?.skills
  const found = [...(own?.items ?? []), ...shared.items.filter(({ name }) => isFor(patterns, name))]
  return found
    .filter(({ name, state }, at) => state === 'approved' && found.findIndex((one) => one.name === name) === at)
    .map(({ name, description }) => ({ name, description }))
}
