import { readAgents } from './agents.ts'
import { listSkills } from './skills.ts'

const isFor = (patterns: readonly string[] | undefined, name: string) =>
  patterns?.some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : one === name)) ?? true

/**
 * Returns the approved skills that a message to an agent can begin with: the agent's own skills, and the skills of the workspace that match the
 * `skills` patterns of its entry.
 */
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
