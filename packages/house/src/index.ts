export { Facts, type FactTypes, type FactUse } from './facts.ts'
export { House, type HouseOptions, type RoomRecord } from './house.ts'
export { Registry } from './registry.ts'
export type { Contributions, KindTypes, Life, Room } from './room.ts'
