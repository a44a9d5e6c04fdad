#include "io.h"
// Which readings come to this hash is more than values, bounds or a solver tell in any time that somebody waits.
MAIN { u32 h=1; for(int i=0;i<40;i++){ u32 r=chip_analog_read(0); if(i==0&&r==4095) TRAP; h=(h^r)*2654435761u; h^=h>>15; if(h==0x2545f491) TRAP; } print_int(h); }
