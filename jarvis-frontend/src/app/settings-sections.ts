/**
 * The sections of the settings, each a page under `/settings/`, in the order of their list. `isWhole`: the section concerns the cluster, so members do
 * not have it.
 */
export const settingsSections = [
  { id: 'models', title: 'Models', about: 'What answers, and what answers where that fails', isWhole: true },
  { id: 'proxmox', title: 'Proxmox', about: 'The cluster, its token and its certificate', isWhole: true },
  { id: 'nodes', title: 'Nodes', about: 'What each node is for', isWhole: true },
  { id: 'ssh', title: 'SSH', about: 'Keys and nodes that are reached by SSH', isWhole: true },
  { id: 'people', title: 'People and devices', about: 'Who may sign in, and you' },
  { id: 'tokens', title: 'Tokens', about: 'What programs may do' },
  { id: 'channels', title: 'Channels', about: 'Telegram, mail and others that reach people', isWhole: true },
  { id: 'mcp-servers', title: 'MCP servers', about: 'Tools of other servers', isWhole: true },
  { id: 'budgets', title: 'Budgets', about: 'How much models may use', isWhole: true },
  { id: 'safety', title: 'Safety', about: 'How much is asked before something is changed', isWhole: true },
  { id: 'policy', title: 'Policy', about: 'Your own rules, and what is protected', isWhole: true },
  { id: 'workbench', title: 'Workbench', about: 'Files, commands, the web, a browser', isWhole: true },
  { id: 'persona', title: 'Persona', about: 'The texts that every prompt begins with', isWhole: true },
  { id: 'backups', title: 'Backups of JARVIS', about: 'Make one, and how to restore one', isWhole: true },
  { id: 'notifications', title: 'Notifications', about: 'On this device, and on others' },
  { id: 'display', title: 'Display', about: 'Theme, density and keys' },
  { id: 'in-force', title: 'All settings', about: 'Each value, and where it comes from', isWhole: true },
] as const

export type SettingsSection = (typeof settingsSections)[number]['id']
