package compaction

// latinStopWords are the commonest words of languages in Latin script; what two of them share counts for both.
var latinStopWords = []struct {
	language string
	words    map[string]bool
}{
	{"en", setOf("the and of to is are was were be been it that this these those for with on at by from as an or not but have has had " +
		"you we they he she what which when where how why can could should would will do does did please there then than if so its " +
		"my your our i me make need want let's don't it's")},
	{"de", setOf("der die das und ist sind war waren ein eine einen einem einer nicht mit für auf von zu im den dem des wir ich du er sie " +
		"es auch aber oder wenn dann wie was wo warum kann soll bitte noch nur schon nach bei aus durch über zum zur dass werden wird " +
		"wurde haben hat hatte mir mich dir uns mach mal kein keine immer")},
	{"fr", setOf("le la les de des du un une et est sont était dans pour sur avec par que qui ne pas plus ce cette ces il elle on nous " +
		"vous je tu mais ou où si comme aux au été être avoir fait faire peut tout tous aussi bien sans il y en son sa ses mon ma " +
		"c'est j'ai qu'il d'une")},
	{"es", setOf("el la los las de del un una unos y es son era fue en para por con que no se lo le su sus como más pero si cuando donde " +
		"este esta estos eso hay ya también puede ser tiene hacer yo tú nos mi muy sin sobre entre quiero necesito")},
	{"pt", setOf("o a os as de do da dos das um uma e é são era foi em no na nos nas para por com que não se mais mas como quando onde " +
		"este esta isso ele ela eu você nós meu sua também já pode ser tem fazer muito sem sobre ao à")},
	{"it", setOf("il lo la i gli le di del della dei un una e è sono era in nel nella per con che non si più ma come quando dove questo " +
		"questa anche può essere ha ho fare io tu noi mio suo molto senza sul alla dal c'è perché")},
	{"nl", setOf("de het een en is zijn was waren in op van voor met dat die niet te aan er ook maar als dan wat waar hoe kan moet wel nog " +
		"naar bij uit door over om ik je jij we wij hij zij ze mijn jouw ons geen worden wordt hebben heeft")},
	{"sv", setOf("och att det som en ett är var i på av för med den de inte om till så men eller när hur vad kan ska från har hade jag du vi " +
		"han hon min din vår också bara utan sedan efter vid")},
	{"pl", setOf("i w na z do nie to jest są był się że jak ale o po co tak za od przez dla ten ta te czy już tylko może być ma mam ja ty my " +
		"oraz lub gdy gdzie przy bez proszę")},
	{"tr", setOf("ve bir bu da de için ile ne var yok mi çok ama gibi daha en olarak o şu ben sen biz değil olan kadar sonra her şey " +
		"lütfen ya veya nasıl neden")},
}

// stopWords are all of them: words that carry no meaning of their own.
var stopWords = func() map[string]bool {
	all := make(map[string]bool)
	for _, l := range latinStopWords {
		for w := range l.words {
			all[w] = true
		}
	}
	return all
}()

// latinLanguage is the language whose stop words clearly lead: at least four hits, one word in twelve, and half as many
// again as the second.
func latinLanguage(words []string) string {
	best, second, name := 0, 0, ""
	for _, l := range latinStopWords {
		n := 0
		for _, w := range words {
			if l.words[w] {
				n++
			}
		}
		switch {
		case n > best:
			best, second, name = n, best, l.language
		case n > second:
			second = n
		}
	}
	if best < 4 || 12*best < len(words) || 2*best < 3*second {
		return ""
	}
	return name
}
