/** Words after a slash that are commands of JARVIS, or are reserved for later ones. */
const commands = [
  ...[
    'agent',
    'agents',
    'budget',
    'compact',
    'context',
    'dry-run',
    'effort',
    'fold',
    'help',
    'limits',
    'model',
    'plan',
  ],
  ...['rewind', 'run', 'skill', 'skills'],
]

/** True if no skill may have this name, because a message `/name` already has another meaning. */
export const isCommand = (name: string): boolean => commands.includes(name)
