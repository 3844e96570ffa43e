# Speedups with their data. Draw it again: gnuplot {{name}}.gp
if (!exists("svg")) svg = "{{name}}.svg"
if (!exists("png")) png = "{{name}}.png"
set encoding utf8
# speedup, row, column of the size, 1 for a tie
$points << EOD
{{#points}}
{{x}} {{y}} {{column}} {{tie}}
{{/points}}
EOD
# least and largest speedup of a row
$ranges << EOD
{{#rows}}
{{low}} {{y}} {{high}}
{{/rows}}
EOD
set lmargin at screen {{left}}
set rmargin at screen {{right}}
set tmargin at screen {{top}}
set bmargin at screen {{bottom}}
set logscale x
set xrange [{{x0}}:{{x1}}]
set yrange [{{y0}}:{{y1}}]
set border 3 linecolor rgb "#404040"
set xtics nomirror ({{#ticks}}'{{text}}' {{x}}{{comma}}{{/ticks}}) textcolor rgb "#202020"
set ytics nomirror scale 0 noenhanced ({{#rows}}'{{text}}' {{y}}{{comma}}{{/rows}}) textcolor rgb "#202020"
set grid xtics linetype 1 linecolor rgb "#E4E4E4"
set label 1000 '{{title}}' at screen 0.015, screen {{title_y}} left noenhanced textcolor rgb "#101010" font ",15"
set label 1001 '{{warning}}' at screen 0.015, screen {{warning_y}} left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Time of the best baseline over the time of the best kernel, cold; right of 1x the kernel is faster.' at screen 0.015, screen {{note_y}} left noenhanced textcolor rgb "#505050" font ",11"
set label 1003 'mean' at screen {{mean_x}}, first {{y1}} right offset 0,1.0 textcolor rgb "#505050" font ",11"
{{#rows}}
set label '{{mean}}' at screen {{mean_x}}, first {{y}} right textcolor rgb "#202020" font ",12"
{{/rows}}
{{#separators}}
set arrow from graph 0, first {{y}} to graph 1, first {{y}} nohead linecolor rgb "#D0D0D0" linewidth 1 back
{{/separators}}
set arrow from 1, graph 0 to 1, graph 1 nohead linecolor rgb "#A3123F" linewidth 1.6 dashtype 2
set key at screen 0.01, screen {{key_y}} left top horizontal maxrows 1 Left reverse noenhanced textcolor rgb "#202020" samplen 0.6 font ",11"
set terminal svg size {{width}},{{height}} font "DejaVu Sans,12" background rgb "white"
set output svg
plot $ranges using 1:2:($3-$1):(0) with vectors nohead linecolor rgb "#C4C4C4" linewidth 3 notitle{{#sizes}}, \
  $points using ($3=={{column}}&&$4==0?$1:NaN):2 with points pointtype 7 pointsize 1.05 linecolor rgb "{{color}}" notitle, \
  $points using ($3=={{column}}&&$4==1?$1:NaN):2 with points pointtype 6 pointsize 1.0 linewidth 2 linecolor rgb "{{color}}" notitle, \
  NaN with points pointtype 7 pointsize 1.2 linecolor rgb "{{color}}" title '{{text}}'{{/sizes}}, \
  NaN with points pointtype 6 pointsize 1.1 linewidth 2 linecolor rgb "#606060" title 'tie'
set terminal pngcairo size {{width}},{{height}} font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
