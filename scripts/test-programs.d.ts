export type Program = 'Chromium' | 'script' | 'sshd'
export const programs: Record<Program, { find(): string | undefined; install: string }>
