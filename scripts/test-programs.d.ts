export type Program = 'bubblewrap' | 'Chromium' | 'script' | 'sshd'
export const programs: Record<Program, { find(): string | undefined; install: string }>
