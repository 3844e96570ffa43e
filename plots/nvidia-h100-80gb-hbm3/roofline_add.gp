# A roofline with its data. Draw it again: gnuplot roofline_add.gp
if (!exists("svg")) svg = "roofline_add.svg"
if (!exists("png")) png = "roofline_add.png"
set encoding utf8
$points << EOD
0.191431 2.26397e+10
0.191431 2.06589e+11
0.191431 4.60642e+11
0.191431 5.04478e+11
0.382862 2.37711e+10
0.382862 2.39392e+11
0.382862 8.37591e+11
0.382862 9.74676e+11
0.209953 2.33797e+10
0.209953 2.06529e+11
0.209953 4.5871e+11
0.209953 4.96417e+11
0.419906 2.37408e+10
0.419906 2.60053e+11
0.419906 8.35435e+11
0.419906 9.69902e+11
0.132305 2.31242e+10
0.132305 1.99295e+11
0.132305 4.06056e+11
0.132305 4.50315e+11
0.26461 2.36203e+10
0.26461 2.37658e+11
0.26461 5.67379e+11
0.26461 6.31806e+11
0.145106 2.29529e+10
0.145106 2.05683e+11
0.145106 4.54609e+11
0.145106 4.98833e+11
0.290212 2.35655e+10
0.290212 2.41682e+11
0.290212 6.91144e+11
0.290212 7.78465e+11
0.159145 2.3121e+10
0.159145 2.08188e+11
0.159145 4.57788e+11
0.159145 4.98201e+11
0.318291 2.3592e+10
0.318291 2.63325e+11
0.318291 8.28055e+11
0.318291 9.68431e+11
0.174543 2.29918e+10
0.174543 2.07824e+11
0.174543 4.5795e+11
0.174543 4.98564e+11
0.349087 2.34519e+10
0.349087 2.60425e+11
0.349087 8.26081e+11
0.349087 9.69352e+11
EOD
$lines << EOD
0.02 1.60088e+11
7.88194 6.30902e+13


0.02 6.02792e+10
20.9327 6.30902e+13


0.02 6.23341e+10
20.2426 6.30902e+13


7.88194 6.30902e+13
100 6.30902e+13


0.120633 5.19451e+11
0.230267 5.19451e+11


0.241266 1.0389e+12
0.460534 1.0389e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+10:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of add: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.00 TB/s' at 0.0217799, 2.11735e+11 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.01 TB/s' at 0.0245371, 5.85694e+10 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.12 TB/s' at 0.0217799, 8.24442e+10 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.1 TFLOP/s' at 92.1186, 7.44125e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 4 linecolor rgb "#000000" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 4 linecolor rgb "#000000" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::12-1::12-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::13-1::13-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::14-1::14-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.98 linewidth 1.8 notitle, \
  $points every ::15-1::15-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.16 linewidth 1.8 notitle, \
  $points every ::16-1::16-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.34 linewidth 1.8 notitle, \
  $points every ::17-1::17-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::18-1::18-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::19-1::19-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::20-1::20-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::21-1::21-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::22-1::22-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::23-1::23-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::24-1::24-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::25-1::25-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::32-1::32-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::33-1::33-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::34-1::34-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::35-1::35-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::36-1::36-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::37-1::37-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::38-1::38-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::39-1::39-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::40-1::40-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::41-1::41-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::42-1::42-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::43-1::43-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::44-1::44-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  $points every ::45-1::45-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::46-1::46-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.98 linewidth 1.0 notitle, \
  $points every ::47-1::47-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.16 linewidth 1.0 notitle, \
  $points every ::48-1::48-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.34 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.98 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.16 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.34 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
