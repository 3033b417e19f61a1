/**
 * The words from which attackers compose the passwords that they try first: common words, first names, clubs, bands, makers and places. The
 * commonest passwords are such words alone, doubled, in pairs, with digits or signs around them, or with digits in place of letters.
 */
export const commonWords: ReadonlySet<string> = new Set(
  `password passwort passwd pass word login admin administrator root user guest test tester testing default changeme change letmein welcome
  secret secure security access master system server service support manager office company business internet computer network windows linux
  ubuntu debian oracle mysql postgres cisco router switch backup temp temporary demo sample example private public personal account money
  bank credit dollar power energy monitor keyboard mouse laptop desktop mobile phone android iphone samsung google facebook twitter youtube
  instagram whatsapp amazon ebay paypal apple microsoft yahoo gmail hotmail myspace linkedin dropbox adobe photoshop netflix spotify steam
  minecraft roblox fortnite pokemon pikachu charizard mario luigi zelda sonic nintendo playstation xbox gaming gamer player warcraft starcraft
  diablo counter strike halo doom quake sims tetris
  love iloveyou loveyou loveme lovely lover loves lovelove iloveu ilovegod iloveme ihateyou hate kiss kisses hugs baby babe babygirl babyboy
  babyblue sweet sweetie sweetheart sweetpea honey darling angel angels princess prince queen king kingdom princesa princess barbie beauty
  beautiful gorgeous handsome pretty sexy sexygirl hottie cutie cutiepie cute girl girls boy boys man men woman women lady ladies mother
  mommy mummy mama mum mom father daddy dad papa parents sister brother family friend friends friendship forever together always never
  teamo tequiero amor amorcito corazon bonita hermosa mivida bebita chiquita estrella familia felicidad alegria mariposa
  god jesus christ jesuschrist lord church bible faith heaven blessed blessing grace hope trust believe angelina glory gospel spirit amen
  hello helloworld hallo bonjour ciao hola goodbye please thanks thankyou yes nope whatever nothing something anything everything someone
  nobody anyone fuck fuckyou fucker fuckoff fuckme asshole bitch bitches bullshit shit pussy cock dick sex sexual porn naked boobs tits
  blowjob motherfucker bastard loser idiot stupid dumbass
  sunshine sunny sunflower sunset sunrise moon moonlight star stars starlight rainbow summer winter spring autumn january february march april
  may june july august september october november december monday tuesday wednesday thursday friday saturday sunday weekend holiday
  christmas easter halloween birthday party happy happiness smile smiley laugh funny lucky luckyone crazy insane magic mystery dream dreams
  dreamer fantasy legend hero heroes winner champion success freedom peace liberty justice victory glory destiny fortune future infinity
  eternity phoenix dragon dragons dragonfly wizard witch vampire zombie ghost demon devil satan lucifer hell death killer reaper shadow
  shadows darkness midnight nightmare
  monkey monkeys tiger tigers tigger lion lions panther panda pandas bear bears wolf wolves wolverine fox foxy dog dogs doggy puppy cat cats
  kitty kitten hellokitty horse horses pony cow chicken duck eagle eagles falcon falcons hawk raven bird birds butterfly bee bumblebee fish
  dolphin dolphins shark sharks whale turtle snake cobra viper spider spiderman rabbit bunny hamster mouse elephant giraffe gorilla
  penguin pig piglet frog froggy
  red blue green yellow orange purple pink black white brown silver golden gold diamond diamonds crystal pearl ruby emerald platinum
  banana bananas apple apples cherry strawberry peach peaches lemon melon mango grape berry blueberry pineapple coconut tomato potato
  pumpkin pepper ginger cookie cookies chocolate candy sugar honeybee cupcake muffin butter cheese pizza burger hotdog taco pasta coffee
  tea beer vodka whiskey whisky wine tequila cocacola coke pepsi sprite popcorn pancake waffle bacon
  football fussball futbol soccer baseball basketball hockey tennis golf golfer volleyball rugby cricket swimming swimmer runner running
  wrestling boxing karate ninja samurai surfing surfer skater skateboard skate snowboard dance dancer dancing cheer cheerleader gymnast
  champion racing racer nascar motocross bike biker harley davidson harleydavidson yamaha honda suzuki kawasaki ducati ferrari porsche
  mercedes benz bmw audi volkswagen toyota nissan mazda subaru mitsubishi hyundai ford mustang chevy chevrolet camaro corvette dodge
  charger viper jeep cadillac lexus lamborghini bugatti jaguar truck trucker driver
  yankees redsox cowboys steelers packers patriots broncos raiders giants eagles lakers celtics bulls knicks chelsea arsenal liverpool
  manchester manutd everton tottenham barcelona barca realmadrid juventus milan inter ajax bayern celtic rangers chivas america boca
  juniors river flamengo corinthians benfica galatasaray fenerbahce besiktas schalke dortmund bvb werder hsv ronaldo ronaldinho messi beckham jordan kobe lebron
  superman batman spiderman ironman captain avengers marvel hulk thor joker robin catwoman flash starwars skywalker vader yoda jedi
  chewbacca stargate startrek enterprise spock matrix neo trinity morpheus gandalf frodo aragorn legolas hobbit hogwarts harrypotter
  potter hermione gryffindor slytherin voldemort twilight edward bella jacob naruto sasuke itachi sakura kakashi goku vegeta dragonball
  bleach ichigo onepiece simpsons homer bart southpark cartman family scooby scoobydoo snoopy garfield mickey minnie mickeymouse donald
  disney tinkerbell winnie pooh spongebob patrick bugsbunny tweety looney teletubbies
  metallica nirvana slipknot greenday blink linkinpark eminem rammstein korn ironmaiden acdc beatles pinkfloyd ledzeppelin zeppelin
  guitar guitars bass drums drummer piano violin trumpet music musica musical rock rocker rocknroll rockstar punk metal hiphop rapper
  reggae marley bobmarley tupac biggie snoopdogg madonna britney shakira rihanna beyonce justin bieber jonas onedirection bts
  batista johncena undertaker
  michael jennifer jessica ashley daniel david robert andrew matthew joshua christopher anthony thomas william joseph richard charles
  james john johnny george brian kevin steven stephen jason jeffrey justin brandon ryan jacob nicholas nicole jonathan tyler eric
  alexander alexandra alexandre alex benjamin samuel samantha patrick patricia timothy gregory raymond dennis jerry frank scott jack
  jackson nathan nathaniel adam zachary kyle ethan aaron peter paul mark lucas luke henry oliver harry charlie charlotte edward edwin
  albert arthur philip phillip douglas donald ronald kenneth russell vincent victor victoria veronica vanessa valerie valentina
  stephanie melissa amanda elizabeth michelle heather amber rebecca rachel lauren megan danielle brittany tiffany kimberly christina
  christine christian cristina laura sarah sara emily emma olivia sophie sophia isabella isabel abigail hannah madison natalie natasha
  katherine catherine kathryn kathleen karen sandra susan linda barbara nancy margaret maria marie mary martha martin martina mariana
  marina monica andrea angela anna annie anne diana diane carolina caroline carol claudia cynthia daniela deborah denise dorothy
  eduardo fernando fernanda francisco francesca francesco gabriel gabriela gabrielle giovanni gloria guillermo gustavo jasmine
  javier jorge jose juan juanita julia julian juliana juliet julie karina katie kelly kelsey kristen kristin leonardo leslie
  lorena lorenzo luis manuel marcus marco mario maurice mauricio maxwell melanie mercedes miguel miranda mohamed mohammed muhammad
  murphy natalia norman orlando pamela pedro priscilla rafael ramon ricardo roberto rodrigo roger rosa rose roxanne sabrina salvador
  sebastian sergio shannon sharon sheila shelby sierra simon simone spencer stella summer susana sydney sylvia tamara taylor teresa
  theresa tommy travis trevor tristan valentin vivian wendy wesley winston yolanda yvonne zoe lisa lena lukas jonas felix leon maximilian
  florian tobias stefan stefanie sabine petra claudia susanne birgit monika gabi katharina katrin wolfgang juergen jurgen dieter helmut
  heinz klaus hans uwe olaf sven lars ingrid pierre jean nicolas camille aurelie sebastien laurent olivier nathalie sandrine chantal
  ivan dmitry dmitri sergey sergei andrey alexey alexei natasha tatiana svetlana vladimir boris igor oleg maxim nikita marina
  brooklyn london paris berlin hamburg munich muenchen koeln frankfurt vienna zurich rome roma milano madrid barcelona lisbon amsterdam
  chicago boston newyork dallas denver houston phoenix atlanta miami orlando detroit seattle austin california florida texas virginia
  georgia carolina dakota montana arizona colorado alaska hawaii america american england scotland ireland irish wales france germany
  deutschland spain espana portugal italy italia mexico mexican brasil brazil argentina colombia peru chile russia poland polska india
  indian pakistan canada australia china japan jakarta indonesia philippines pinoy africa europe
  trustno trustme opensesame open sesame access letmeinnow letmesee iamgod imcool cool cooldude coolgirl coolguy coolman dude buddy
  bigdaddy bigboy bigdog bigdick bigman bigmac biggie big little small super superstar supernova mega ultra turbo nitro rocket blaster
  thunder lightning storm hurricane tornado fire fireball firefly firebird flame ice iceman icecream snow snowball snowman water ocean
  river beach island mountain forest flower flowers garden green nature earth planet world universe galaxy cosmos space apollo challenger
  discovery enterprise explorer voyager pioneer ranger hunter fisher fishing fisherman hunting camping sailor sailing pilot aviator
  fireman police soldier marine marines army navy airforce military sniper gunner killer hitman gangster gangsta mafia pirate pirates
  cowboy cowgirl knight warrior warriors gladiator spartan spartans trojan trojans viking vikings titan titans maverick goose rebel rebels
  outlaw bandit rogue scorpion scorpio aquarius gemini taurus virgo libra pisces aries leo capricorn sagittarius cancer zodiac
  buster bailey buddy max maggie molly daisy rocky lucky lucy sophie sadie chloe coco cocoa bella ginger jake jasper jasmine oscar
  oreo patches peanut pepper precious princess pumpkin rusty sammy samson sassy scooter shadow simba smokey snickers snowflake socks
  sparky spike spot sunny tiger toby trixie tucker whiskers winston zeus hercules apollo athena venus mercury jupiter saturn neptune
  pluto mars
  student students teacher school college university highschool senior junior freshman science biology chemistry physics history english
  mathematics algebra library scholar doctor nurse nursing lawyer engineer mechanic carpenter plumber builder farmer baker butcher
  hairdresser secretary accountant marketing sales salesman consultant director president
  abcdef abcd abcde abcabc abc aaa xxx xyz qwe qwerty qwertz azerty asd asdf asdfgh zxc zxcvbn qaz wsx poiuyt lkjhgf mnbvcxz
  baseball alpha beta gamma delta omega sigma zero one two three four five six seven eight nine ten hundred thousand million
  blahblah blah bla lol lollipop rofl omg wtf haha hahaha hehe yoyo yomama peekaboo booboo boobear pookie pooh poop poopoo teddy
  teddybear tweetybird woof meow quack moo mylove myself myname mybaby mypass mypassword nopassword thisismypassword newpassword oldpassword
  yourpassword ourpassword passwordpassword
  jarvis ultron skynet homelab homeserver proxmox docker kubernetes container virtual machine hypervisor vmware synology qnap nas plex
  jellyfin homeassistant raspberry raspberrypi pihole opnsense pfsense mikrotik unifi fritzbox speedport vodafone telekom easybox`.split(
    /\s+/,
  ),
)
