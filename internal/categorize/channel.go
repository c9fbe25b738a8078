package categorize

// channel is how the money moved. Later ones win where a processor's code shows a card.
type channel uint8

const (
	noChannel channel = iota
	card
	ach
	bill
	wire
	p2p
	check
	atm
	deposit
	transfer
	fee
	interest
)

var channelNames = [...]string{"", "card", "ach", "bill", "wire", "p2p", "check", "atm", "deposit", "transfer", "fee",
	"interest"}

// channelWords are the channels in a reason's plain words.
var channelWords = [...]string{"bank line", "card payment", "ACH entry", "bill payment", "wire", "payment app transfer",
	"check",
	"cash machine", "deposit", "transfer", "fee", "interest"}

func (c channel) String() string { return channelNames[c] }

func parseChannel(name string) (channel, bool) {
	for i, n := range channelNames {
		if n == name && i > 0 {
			return channel(i), true
		}
	}
	return 0, false
}
