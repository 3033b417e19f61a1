export type * from 'homelab-ports/ports'
