import { createSynonyms } from 'hybrid-index'

/** Homelab synonyms, one group per line. A word belongs here only if it means nearly the same in any homelab note; it may be in several groups. */
const groups = `
disk drive hdd ssd nvme
server machine host node computer box hardware
nas fileserver storage
guest vm
container ct lxc docker
hypervisor proxmox pve
cluster quorum
reboot restart
start boot launch
stop shutdown halt off
crash panic killed oom
freeze hang hung stuck stall
broken failed faulty damaged corrupt error
outage down unreachable offline
slow sluggish lag stutter latency
fast quick speed throughput
full space capacity room
memory ram
cpu processor core load
gpu graphics nvidia
hot heat temperature overheat warm cooling
loud noise noisy quiet fan
power electricity watt energy
blackout outage power
ups battery
plug socket outlet
backup copy saved archive
offsite remote external
restore recover rollback
snapshot version
retention keep kept prune
delete remove destroy purge erase
move migrate relocate transfer
copy replicate sync mirror
install setup deploy
update upgrade patch
version release firmware bios
kernel driver module
certificate cert tls ssl https
password passphrase credential secret pin
login account user
access permission right allow
expire renew expiry
internet wan isp provider
network lan vlan subnet
wifi wlan wireless ssid
router gateway firewall opnsense
switch port
cable wire cord
address ip
dns resolver nameserver domain hostname
dhcp lease
vpn wireguard tunnel
proxy nginx traefik
website web page site url
mail email smtp
alert notification alarm warning
monitor metric graph dashboard grafana prometheus
log journal syslog
clock time ntp
schedule cron timer nightly
script automation job
test verify check
share nfs smb samba mount
pool zfs raid volume dataset
encrypt encryption luks
photo picture image
movie film video
music song audio album
television tv
stream playback transcode
subtitle caption
camera surveillance cctv frigate
light lamp bulb
printer scanner
document paper letter scan
book wiki note
phone mobile smartphone
car vehicle
kid child children
parent grandmother grandfather grandma grandpa
visitor guest
neighbour neighbor
holiday vacation travel trip
price cost euro bill expense
buy purchase order
spare replacement
database postgres postgresql mariadb mysql sqlite
bug defect issue problem trouble
fix repair solve resolve
reason cause
`

/** Synonyms of a word as the keyword index stores it; most words have none. */
export const synonymsOf = createSynonyms(groups)
