const paths = {
  chat: 'M2.5 3.5h11V11h-6l-3 2.5V11h-2z',
  cluster:
    'M3.5 2.5h9a1 1 0 0 1 1 1V6a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V3.5a1 1 0 0 1 1-1zM3.5 9h9a1 1 0 0 1 1 1v2.5a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V10a1 1 0 0 1 1-1zM5 4.75h.01M5 11.25h.01',
  waiting: 'M8 2 14 8l-6 6-6-6z',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  down: 'm3.5 6 4.5 4.5L12.5 6',
  arrow: 'M2.5 8H13M9.5 4.5 13 8l-3.5 3.5',
  copy: 'M6.7 5.5h5.6a1.2 1.2 0 0 1 1.2 1.2v5.6a1.2 1.2 0 0 1-1.2 1.2H6.7a1.2 1.2 0 0 1-1.2-1.2V6.7a1.2 1.2 0 0 1 1.2-1.2zM10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2',
  up: 'M8 13V3M4 7l4-4 4 4',
  plus: 'M8 3v10M3 8h10',
  close: 'm4 4 8 8M12 4l-8 8',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 5v3l2 1.5',
  pen: 'm3 13 .6-2.8 7.2-7.2L13 5.2l-7.2 7.2z',
  again: 'M5.5 3l-3 3 3 3M2.5 6h7a4 4 0 0 1 0 8H7',
  branch:
    'M4.5 5.8v4.4M4.5 2.7a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM4.5 10.3a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM11.5 2.7a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM11.5 5.8c0 2.6-3 2.4-5.8 3.4',
  sessions: 'M2.5 4h2M2.5 8h2M2.5 12h2M6.5 4h7M6.5 8h7M6.5 12h7',
  sun: 'M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5V3M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  moon: 'M13.2 9.7A5.7 5.7 0 0 1 6.3 2.8a5.7 5.7 0 1 0 6.9 6.9z',
  lock: 'M4.7 7h6.6a1.2 1.2 0 0 1 1.2 1.2v4.1a1.2 1.2 0 0 1-1.2 1.2H4.7a1.2 1.2 0 0 1-1.2-1.2V8.2A1.2 1.2 0 0 1 4.7 7zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  leave: 'M6.5 2.5h-3v11h3M6.5 8h7M10.5 5l3 3-3 3',
  alerts: 'M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.6 14.2h2.8',
  'bell-off': 'M4 11V7a4 4 0 0 1 6.5-3.1M12 7v4l1.2 1.5H5.5M2.5 2.5l11 11M6.6 14.2h2.8',
  automations: 'M13.2 8.5A5.3 5.3 0 1 1 11.5 4M13 2.3v3h-3M8 5.3v3l2 1.4',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  agents: 'M8 2.5a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM2.8 13.5c.4-2.4 2.5-3.6 5.2-3.6s4.8 1.2 5.2 3.6',
  journal: 'M4 2.5h8v11H4zM6.2 5.5h3.6M6.2 8h3.6M6.2 10.5h2',
  tools: 'M9.6 6.4 3 13M9.2 3.4a3.2 3.2 0 0 1 4-.6l-2.1 2.1 0 1.3 1.3 0 2.1-2.1a3.2 3.2 0 0 1-4.3 4',
  memory: 'M8 2.5c3 0 5 .9 5 2s-2 2-5 2-5-.9-5-2 2-2 5-2zM3 4.5v7c0 1.1 2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2 2 5 2s5-.9 5-2',
  settings: 'M2.5 5h5M11 5h2.5M9.2 3.3v3.4M2.5 11H5M8.5 11h5M6.8 9.3v3.4',
  system: 'M1.8 8h2.9l1.8-4.5 2.8 9L11.2 8h3',
  terminal: 'M2.5 3.5h11v9h-11zM5 6.3l2 1.7-2 1.7M8.5 10H11',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3l3.2 3.2',
  panel: 'M2.5 3.5h11v9h-11zM9.5 3.5v9',
} as const

export type IconName = keyof typeof paths | 'more' | 'stop'

export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      {name === 'more' ? (
        <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.4" />
      ) : name === 'stop' ? (
        <rect x="4" y="4" width="8" height="8" rx="1" fill="currentColor" stroke="none" />
      ) : (
        <path d={paths[name]} />
      )}
    </svg>
  )
}
