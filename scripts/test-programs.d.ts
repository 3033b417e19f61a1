export type Program = 'bubblewrap' | 'Chromium' | 'git' | 'ripgrep' | 'script' | 'sshd' | 'ssh-keygen'
export const programs: Record<Program, { find(): string | undefined; install: string }>
