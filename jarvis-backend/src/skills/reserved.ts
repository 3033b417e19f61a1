/** Words after a slash that JARVIS answers itself, or will. */
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

/** True if no skill may have this name, because a line `/name` has a meaning already. */
export const isCommand = (name: string): boolean => commands.includes(name)
